#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sweep {

/// How many runs stand where. Every planned run is in exactly one of the six states.
struct RunCounts {
  std::size_t planned = 0;      ///< all of them
  std::size_t finished = 0;     ///< result.json is there, whatever came out
  std::size_t running = 0;      ///< a live worker of this machine holds the claim
  std::size_t elsewhere = 0;    ///< a live worker that is not ours to wait for holds the claim
  std::size_t waiting = 0;      ///< never started
  std::size_t interrupted = 0;  ///< started; will be carried on from its checkpoint
  std::size_t failed = 0;       ///< retries are used up; the next `resume` tries afresh
  bool operator==(const RunCounts&) const = default;
};

/// A run that somebody works on now.
struct ActiveRun {
  std::string id;
  std::string host;
  std::int64_t step = 0;
  std::int64_t max_iters = 0;
  std::optional<double> tokens_per_s;  ///< over about the last minute; nullopt: not measured yet
  std::optional<double> left_s;
};

/// What may be shown of a sweep before it is complete: counts, steps and rates. Losses and outcomes
/// have no place here, so that no view can leak them.
struct Progress {
  RunCounts runs;
  std::vector<ActiveRun> active;  ///< in plan order
  std::optional<double> left_s;   ///< nullopt: nothing measured yet, or nothing left
};

/// Shows a sweep's progress to a person. Failing writes (a closed pipe, a gone terminal) are
/// ignored: a view never ends a sweep.
class ProgressView {
 public:
  virtual ~ProgressView() = default;
  /// A line that stays.
  virtual void message(const std::string& line) = 0;
  /// A run has its result.
  virtual void finished(const std::string& run, const Progress& progress) = 0;
  /// Called several times a second; the view decides when it draws.
  virtual void update(const Progress& progress) = 0;
  /// Leaves the terminal as it was; later calls show nothing.
  virtual void close() = 0;
};

enum class ColorChoice { kAuto, kAlways, kNever };

/// Whether to colour what is written to `fd`. Auto: a terminal, TERM not "dumb", NO_COLOR unset or
/// empty (https://no-color.org).
bool use_color(int fd, ColorChoice choice);

struct ViewOptions {
  int fd = 2;         ///< progress belongs on stderr
  std::string title;  ///< the sweep's name
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;  ///< messages only
};

/// On a terminal one block that is redrawn at most five times a second; elsewhere (pipe, file,
/// TERM=dumb) one plain line per finished run and a heartbeat a minute.
std::unique_ptr<ProgressView> make_progress_view(const ViewOptions& options);

}  // namespace sweep
