#include "sweep/queue/attempts.h"

#include <array>
#include <utility>

#include "sweep/base/files.h"
#include "sweep/base/json.h"

namespace sweep {
namespace {

constexpr std::array<std::pair<AttemptEnd, std::string_view>, 7> kEnds = {{
    {AttemptEnd::kUnknown, "unknown"},
    {AttemptEnd::kFinished, "finished"},
    {AttemptEnd::kCheckpointed, "checkpointed"},
    {AttemptEnd::kStopped, "stopped"},
    {AttemptEnd::kElsewhere, "elsewhere"},
    {AttemptEnd::kFailed, "failed"},
    {AttemptEnd::kHung, "hung"},
}};

AttemptEnd end_from(std::string_view name) {
  for (const auto& [end, text] : kEnds) {
    if (text == name) return end;
  }
  return AttemptEnd::kUnknown;
}

void apply(const Json& line, std::vector<Attempt>& attempts) {
  const auto number = line.value("attempt", std::int64_t{0});
  if (line.value("event", "") == "start") {
    Attempt attempt;
    attempt.number = number;
    attempt.started = line.value("time", "");
    attempt.host = line.value("host", "");
    attempt.pid = line.value("pid", std::int64_t{0});
    attempts.push_back(std::move(attempt));
  } else if (!attempts.empty() && attempts.back().number == number) {
    Attempt& attempt = attempts.back();
    attempt.ended = line.value("time", "");
    attempt.end = end_from(line.value("end", ""));
    attempt.status = line.value("status", "");
    attempt.cause = line.value("cause", "");
    attempt.retry = line.value("retry", true);
  }
}

}  // namespace

std::string_view to_string(AttemptEnd end) {
  for (const auto& [value, text] : kEnds) {
    if (value == end) return text;
  }
  return "";
}

std::vector<Attempt> read_attempts(const RunDir& run) {
  std::vector<Attempt> attempts;
  for (const auto& text : read_lines(run.attempts())) {
    const Json line = Json::parse(text, nullptr, false);
    if (line.is_object()) apply(line, attempts);
  }
  return attempts;
}

void append_attempt_start(const RunDir& run, const Attempt& attempt) {
  append_line(run.attempts(), to_line({{"attempt", attempt.number},
                                       {"event", "start"},
                                       {"time", attempt.started},
                                       {"host", attempt.host},
                                       {"pid", attempt.pid}}));
}

void append_attempt_end(const RunDir& run, const Attempt& attempt) {
  Json line = {{"attempt", attempt.number},
               {"event", "end"},
               {"time", attempt.ended},
               {"end", to_string(attempt.end)},
               {"status", attempt.status}};
  if (!attempt.cause.empty()) line["cause"] = attempt.cause;
  const bool failure = attempt.end == AttemptEnd::kFailed || attempt.end == AttemptEnd::kHung;
  if (failure) line["retry"] = attempt.retry;
  append_line(run.attempts(), to_line(line));
}

}  // namespace sweep
