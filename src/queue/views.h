#pragma once

#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "sweep/queue/progress.h"

namespace sweep {

/// For pipes, files and dumb terminals: a line per finished run, a heartbeat a minute.
class PlainView : public ProgressView {
 public:
  struct Clock {
    std::function<double()> monotonic_s;
    std::function<std::time_t()> wall;
  };
  PlainView(int fd, bool quiet, Clock clock);

  void message(const std::string& line) override;
  void finished(const std::string& run, const Progress& progress) override;
  void update(const Progress& progress) override;
  void close() override;

 private:
  int fd_;
  bool quiet_;
  Clock clock_;
  double next_heartbeat_s_ = 0;
  bool closed_ = false;
};

/// For terminals: one block that is redrawn in place. The cursor is left where the block ends and
/// never hidden, so that nothing needs to be restored even after SIGKILL.
class TerminalView : public ProgressView {
 public:
  explicit TerminalView(ViewOptions options);
  ~TerminalView() override;

  void message(const std::string& line) override;
  void finished(const std::string& run, const Progress& progress) override;
  void update(const Progress& progress) override;
  void close() override;

 private:
  [[nodiscard]] std::string erasure() const;

  ViewOptions options_;
  bool color_;
  std::vector<std::size_t> drawn_;  ///< widths of the lines that stand on the terminal
  double next_draw_s_ = 0;
  bool closed_ = false;
};

}  // namespace sweep
