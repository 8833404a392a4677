#include "sweep/record/sweep_dir.h"

#include <algorithm>

#include "sweep/base/error.h"
#include "sweep/base/text.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

bool is_sweep(const fs::path& folder) { return fs::is_regular_file(SweepDir{folder}.lock()); }

std::vector<std::string> sweeps_here() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::current_path())) {
    if (entry.is_directory() && is_sweep(entry.path())) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path numbered(const fs::path& folder, int number, const char* ending) {
  return folder / fmt::format("{:04}{}", number, ending);
}

}  // namespace

fs::path SweepDir::amendment(int number) const { return numbered(amendments(), number, ".json"); }

fs::path SweepDir::amended_prereg(int number) const {
  return numbered(amendments(), number, ".yaml");
}

SweepDir find_sweep(const fs::path& given) {
  if (!given.empty()) {
    if (is_sweep(given)) return {given};
    fail(ExitCode::kBadInput, "{}: no sweep there (a sweep's folder has a lock.json)",
         given.string());
  }
  const auto names = sweeps_here();
  if (names.size() == 1) return {names.front()};
  if (names.empty()) {
    fail(ExitCode::kBadInput,
         "no sweep in this folder; start one with 'sweep run FILE', or name its folder");
  }
  fail(ExitCode::kBadInput, "several sweeps in this folder, name one of them: {}",
       join(names, ", "));
}

}  // namespace sweep
