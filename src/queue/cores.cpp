#include "queue/cores.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "sweep/base/error.h"

namespace sweep {
namespace fs = std::filesystem;

fs::path core_lock_folder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && fs::is_directory(runtime)) return fs::path(runtime) / "sweep-cores";
  return fs::temp_directory_path() / fmt::format("sweep-cores-{}", ::getuid());
}

std::optional<HeldCore> take_core(const fs::path& folder, const std::vector<int>& cpus) {
  std::error_code error;
  fs::create_directories(folder, error);
  try {
    for (const int cpu : cpus) {
      auto lock = FileLock::try_acquire(folder / fmt::format("cpu{}.lock", cpu));
      if (lock) return HeldCore{cpu, std::move(*lock)};
    }
  } catch (const Error&) {
    // Somebody else's folder, or a full disk: pinning is an optimisation, never a reason to stop.
  }
  return std::nullopt;
}

}  // namespace sweep
