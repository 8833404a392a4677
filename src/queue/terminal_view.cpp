#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "queue/render.h"
#include "queue/terminal.h"
#include "queue/views.h"
#include "sweep/base/process.h"
#include "sweep/base/text.h"

namespace sweep {
namespace {

constexpr double kDrawSeconds = 0.2;

}  // namespace

TerminalView::TerminalView(ViewOptions options)
    : options_(std::move(options)), color_(use_color(options_.fd, options_.color)) {}

TerminalView::~TerminalView() { close(); }

/// Goes back to the block's first line and clears all below. A terminal that became narrower has
/// wrapped the lines that stand there: they take more rows than they did.
std::string TerminalView::erasure() const {
  if (drawn_.empty()) return "";
  const std::size_t columns = terminal_size(options_.fd).columns;
  std::size_t rows = 0;
  for (const std::size_t width : drawn_) {
    rows += std::max<std::size_t>(1, (width + columns - 1) / columns);
  }
  return fmt::format("\r\x1b[{}A\x1b[J", rows);
}

void TerminalView::message(const std::string& line) {
  if (closed_) return;
  write_quietly(options_.fd, erasure() + line + "\n");
  drawn_.clear();
  next_draw_s_ = 0;
}

void TerminalView::finished(const std::string&, const Progress&) { next_draw_s_ = 0; }

void TerminalView::update(const Progress& progress) {
  const double now_s = monotonic_s();
  if (closed_ || now_s < next_draw_s_) return;
  next_draw_s_ = now_s + kDrawSeconds;
  const TerminalSize size = terminal_size(options_.fd);
  // The last column stays free: some terminals wrap as soon as it is written.
  const auto lines = progress_block(progress, {options_.title, size.columns - 1, size.rows, color_},
                                    std::time(nullptr));
  std::string text = erasure();
  drawn_.clear();
  for (const auto& line : lines) {
    text += line + "\n";
    drawn_.push_back(std::min(display_width(line), size.columns - 1));
  }
  write_quietly(options_.fd, text);
}

void TerminalView::close() {
  if (closed_) return;
  write_quietly(options_.fd, erasure());
  drawn_.clear();
  closed_ = true;
}

}  // namespace sweep
