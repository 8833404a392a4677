#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <utility>

#include "sweep/base/capture.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/find_program.h"
#include "sweep/base/json.h"
#include "sweep/report/report.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

void make_empty(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) fs::create_directories(folder, error);
  if (!error) return;
  const bool full = error == std::errc::no_space_on_device;
  fail(full ? ExitCode::kResources : ExitCode::kBadInput, "{}: cannot write the report here: {}",
       folder.string(), error.message());
}

class Writer {
 public:
  explicit Writer(fs::path folder) : folder_(std::move(folder)) {
    make_empty(folder_ / "tables");
    make_empty(folder_ / "figures");
  }

  void write(const fs::path& name, const std::string& text) {
    publish(folder_ / name, text);
    files_.push_back(folder_ / name);
  }

  [[nodiscard]] fs::path path(const fs::path& name) const { return folder_ / name; }
  std::vector<fs::path> files() && { return std::move(files_); }

 private:
  fs::path folder_;
  std::vector<fs::path> files_;
};

/// The SVG of a script, or nullopt when gnuplot would not draw it.
std::optional<std::string> drawn(const fs::path& gnuplot, const fs::path& script) {
  try {
    const Captured svg = capture({gnuplot.string(), "-d", script.string()});
    if (svg.status != 0 || svg.output.find("</svg>") == std::string::npos) return std::nullopt;
    return svg.output;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Returns why figures were left out; "" when all were drawn.
std::string write_figures(const std::vector<Figure>& figures, Writer& writer) {
  const auto gnuplot = find_program("gnuplot");
  std::string note;
  if (!gnuplot) {
    note =
        "Figures were left out: gnuplot is not installed (Debian: apt install gnuplot-nox; "
        "Homebrew: brew install gnuplot).";
  }
  for (const Figure& figure : figures) {
    const fs::path base = fs::path("figures") / figure.name;
    writer.write(base.string() + ".csv", to_csv(figure.data));
    writer.write(base.string() + ".gp", gnuplot_script(figure));
    if (!gnuplot) continue;
    if (const auto svg = drawn(*gnuplot, writer.path(base.string() + ".gp"))) {
      writer.write(base.string() + ".svg", polished_svg(*svg, figure));
    } else {
      note = fmt::format("Figures were left out: gnuplot failed on {}.gp.", base.string());
    }
  }
  return note;
}

std::string figures_markdown(const Report& report, const std::string& note) {
  if (!note.empty()) return note + "\n\n";
  std::string text;
  for (const Figure& figure : report.figures) {
    text += fmt::format("![{}](figures/{}.svg)\n\n", figure.title, figure.name);
  }
  return text;
}

std::string report_markdown(const Report& report, const std::string& figures_note) {
  std::string text = fmt::format("# {}\n\n", report.title.empty() ? "Report" : report.title);
  if (!report.question.empty()) text += report.question + "\n\n";
  if (!report.stamp.empty()) text += fmt::format("**{}**\n\n", report.stamp);
  text += figures_markdown(report, figures_note);
  for (const Table& table : report.tables) text += to_markdown(table) + "\n";
  text.pop_back();
  return text;
}

}  // namespace

WrittenReport write_report(const Report& report, const fs::path& folder) {
  Writer writer(folder);
  const std::string note = write_figures(report.figures, writer);
  for (const auto* tables : {&report.tables, &report.data}) {
    for (const Table& table : *tables) writer.write("tables/" + table.name + ".csv", to_csv(table));
  }
  writer.write("report.json", to_text(report_json(report)));
  writer.write("report.md", report_markdown(report, note));
  return {std::move(writer).files(), note};
}

}  // namespace sweep
