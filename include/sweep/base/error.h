#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace sweep {

/// What a command's exit status means; printed by `sweep --help`.
enum class ExitCode : int {
  kOk = 0,          ///< done; a negative verdict or a diverged run is a result
  kRunFailed = 1,   ///< some run failed to execute
  kBadInput = 2,    ///< bad input or usage
  kRefused = 3,     ///< the file differs from what was registered
  kIncomplete = 4,  ///< the sweep is not complete
  kOwned = 5,       ///< another orchestrator owns the sweep
  kResources = 6,   ///< disk, memory or a missing package
};

/// Exit status of a worker that stopped at a checkpoint and wants to be carried on (EX_TEMPFAIL).
inline constexpr int kExitCheckpointed = 75;

/// What ends a command. Caught in `main` and at the boundary of a run, nowhere else.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

template <typename... Args>
[[noreturn]] void fail(ExitCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace sweep
