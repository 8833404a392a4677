#include "queue/pace.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "sweep/base/json.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

constexpr std::streamoff kTailBytes = 8192;

struct TimingLine {
  std::int64_t step;
  std::int64_t max_iters;
  double wall_s;
  double tokens_per_s;
};

/// The end of a file from its first whole line on.
std::string read_tail(const fs::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return "";
  const std::streamoff size = in.tellg();
  const std::streamoff begin = std::max<std::streamoff>(0, size - kTailBytes);
  std::string bytes(static_cast<std::size_t>(size - begin), '\0');
  in.seekg(begin);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (begin > 0) bytes.erase(0, bytes.find('\n') + 1);
  return bytes;
}

std::optional<TimingLine> parse_line(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto number = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  return TimingLine{static_cast<std::int64_t>(number("step")),
                    static_cast<std::int64_t>(number("max_iters")), number("wall_s"),
                    number("tokens_per_s")};
}

std::vector<TimingLine> whole_lines(const std::string& bytes) {
  std::vector<TimingLine> lines;
  std::size_t begin = 0;
  for (auto end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', begin)) {
    const auto line = parse_line(std::string_view(bytes).substr(begin, end - begin));
    if (line) lines.push_back(*line);
    begin = end + 1;
  }
  return lines;
}

/// The first of the lines that belong to the same attempt as the last: its clock starts again with
/// every attempt.
const TimingLine& first_of_attempt(const std::vector<TimingLine>& lines) {
  std::size_t i = lines.size() - 1;
  while (i > 0 && lines[i - 1].wall_s < lines[i].wall_s && lines[i - 1].step <= lines[i].step) --i;
  return lines[i];
}

}  // namespace

std::optional<Pace> read_pace(const fs::path& timing, std::int64_t tokens_per_step) {
  const auto lines = whole_lines(read_tail(timing));
  if (lines.empty()) return std::nullopt;
  const TimingLine& last = lines.back();
  const TimingLine& first = first_of_attempt(lines);
  Pace pace{last.step, last.max_iters, std::nullopt};
  if (last.step > first.step) {
    const auto tokens = static_cast<double>((last.step - first.step) * tokens_per_step);
    pace.tokens_per_s = tokens / (last.wall_s - first.wall_s);
  } else if (last.tokens_per_s > 0) {
    pace.tokens_per_s = last.tokens_per_s;
  }
  return pace;
}

std::int64_t tokens_per_step(const RunSpec& spec) {
  return spec.config.train.batch_size * spec.config.model.block_size;
}

}  // namespace sweep
