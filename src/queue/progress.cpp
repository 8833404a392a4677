#include "sweep/queue/progress.h"

#include <ctime>

#include "queue/terminal.h"
#include "queue/views.h"
#include "sweep/base/process.h"

namespace sweep {

std::unique_ptr<ProgressView> make_progress_view(const ViewOptions& options) {
  if (can_redraw(options.fd) && !options.quiet) return std::make_unique<TerminalView>(options);
  return std::make_unique<PlainView>(
      options.fd, options.quiet, PlainView::Clock{monotonic_s, [] { return std::time(nullptr); }});
}

}  // namespace sweep
