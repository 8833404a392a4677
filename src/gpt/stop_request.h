#pragma once

#include <optional>
#include <string>

namespace sweep {

/// Notices that this process is asked to stop: SIGTERM, SIGINT, SIGHUP or SIGUSR1, or the end of
/// the lifeline, a pipe whose other end the orchestrator holds. To be asked at step boundaries: the
/// handlers only set a flag. One object per process.
class StopRequest {
 public:
  /// Installs the handlers; SIGPIPE and SIGXFSZ are ignored. `lifeline_fd` < 0: none. Throws
  /// `Error` (`kBadInput`) when it is not an open descriptor.
  explicit StopRequest(int lifeline_fd);

  /// Why to stop ("SIGTERM", "the orchestrator ended"), or nullopt. Once set it stays.
  std::optional<std::string> reason();

 private:
  int lifeline_fd_;
  bool lifeline_ended_ = false;
};

}  // namespace sweep
