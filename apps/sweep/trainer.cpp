#include "trainer.h"

#include <unistd.h>

#include <cstdlib>

#include "sweep/base/capture.h"
#include "sweep/base/error.h"
#include "sweep/base/files.h"
#include "sweep/base/process.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

fs::path expected_path() {
  const char* chosen = std::getenv("SWEEP_TRAINER");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return program_path().parent_path() / "sweep-train";
}

/// A temporary file that goes with its scope.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& content) {
    std::string name = (fs::temp_directory_path() / "sweep-probe-XXXXXX").string();
    const int fd = ::mkstemp(name.data());
    if (fd < 0) fail(ExitCode::kResources, "no temporary file in {}", name);
    ::close(fd);
    path_ = name;
    publish(path_, content);
  }
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

bool trainer_is_there() { return fs::exists(expected_path()); }

fs::path trainer_path() {
  const fs::path path = expected_path();
  if (!fs::exists(path)) {
    fail(ExitCode::kResources,
         "{} is not there: this build has no trainer; './bootstrap' makes one with LibTorch",
         path.string());
  }
  return path;
}

Json ask_trainer(std::vector<std::string> words) {
  words.insert(words.begin(), trainer_path().string());
  const Captured answer = capture(words);
  if (answer.status != 0) {
    const bool bad_input = describe_status(answer.status) == "exit 2";
    fail(bad_input ? ExitCode::kBadInput : ExitCode::kResources, "{} {}: {}", words[0], words[1],
         describe_status(answer.status));
  }
  const Json json = Json::parse(answer.output, nullptr, false);
  if (!json.is_object()) {
    fail(ExitCode::kResources, "{} {} printed no JSON: {}", words[0], words[1], answer.output);
  }
  return json;
}

Json numeric_identity(const std::string& device, KernelPath path) {
  return ask_trainer({"--identity", "--device", device, "--path", to_string(path)});
}

Json bench_run(const RunSpec& spec, std::vector<std::string> words) {
  const ScratchFile file(to_text(to_json(spec)));
  words.insert(words.begin(), {"--bench", file.path().string()});
  return ask_trainer(std::move(words));
}

Probe probe_run(const RunSpec& spec, int steps) {
  const ScratchFile file(to_text(to_json(spec)));
  const Json json = ask_trainer({"--probe", file.path().string(), "--steps", std::to_string(steps),
                                 "--path", to_string(fastest_kernel_path(spec.config))});
  return {get_number(json, "seconds_per_step"), get_number(json, "eval_seconds_per_token"),
          get_number(json, "startup_s"), get_number(json, "peak_rss_bytes")};
}

}  // namespace sweep
