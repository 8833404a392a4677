#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sweep {

/// Where everything of one run lies. The only place that knows these names (docs/formats.md).
struct RunDir {
  std::filesystem::path path;

  [[nodiscard]] std::string id() const { return path.filename().string(); }
  [[nodiscard]] std::filesystem::path config() const { return path / "config.json"; }
  [[nodiscard]] std::filesystem::path claim() const { return path / "claim.json"; }
  [[nodiscard]] std::filesystem::path attempts() const { return path / "attempts.jsonl"; }
  [[nodiscard]] std::filesystem::path worker_log() const { return path / "worker.log"; }
  [[nodiscard]] std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  [[nodiscard]] std::filesystem::path timing() const { return path / "timing.jsonl"; }
  [[nodiscard]] std::filesystem::path checkpoint_a() const {
    return path / "checkpoint-a.safetensors";
  }
  [[nodiscard]] std::filesystem::path checkpoint_b() const {
    return path / "checkpoint-b.safetensors";
  }
  [[nodiscard]] std::filesystem::path final_weights() const { return path / "final.safetensors"; }
  [[nodiscard]] std::filesystem::path result() const { return path / "result.json"; }
  /// The folder of token files, shared by all runs of the sweep.
  [[nodiscard]] std::filesystem::path data() const {
    return path.parent_path().parent_path() / "data";
  }
};

/// Where everything of a sweep lies.
struct SweepDir {
  std::filesystem::path path;

  [[nodiscard]] std::filesystem::path prereg() const { return path / "prereg.yaml"; }
  [[nodiscard]] std::filesystem::path lock() const { return path / "lock.json"; }
  [[nodiscard]] std::filesystem::path plan() const { return path / "plan.jsonl"; }
  [[nodiscard]] std::filesystem::path pilot() const { return path / "pilot.json"; }
  [[nodiscard]] std::filesystem::path amendments() const { return path / "amendments"; }
  /// The amendment of that number, and the pre-registration's text as amended by it.
  [[nodiscard]] std::filesystem::path amendment(int number) const;
  [[nodiscard]] std::filesystem::path amended_prereg(int number) const;
  [[nodiscard]] std::filesystem::path notes() const { return path / "notes.jsonl"; }
  [[nodiscard]] std::filesystem::path anchors() const { return path / "anchors.jsonl"; }
  [[nodiscard]] std::filesystem::path anchor_files() const { return path / "anchors"; }
  /// Runs that an amendment set aside to be trained again.
  [[nodiscard]] std::filesystem::path set_aside() const { return path / "set-aside"; }
  [[nodiscard]] std::filesystem::path owner() const { return path / "owner.json"; }
  [[nodiscard]] std::filesystem::path events() const { return path / "events.jsonl"; }
  [[nodiscard]] std::filesystem::path data() const { return path / "data"; }
  [[nodiscard]] std::filesystem::path runs() const { return path / "runs"; }
  [[nodiscard]] std::filesystem::path report() const { return path / "report"; }
  [[nodiscard]] RunDir run(const std::string& id) const { return {runs() / id}; }
};

/// The sweep directory that a command means: `given` when not empty, else the only `*.sweep` folder
/// of the current directory. Throws `Error` (`kBadInput`) with the list when there are several, and
/// a hint when there is none.
SweepDir find_sweep(const std::filesystem::path& given);

}  // namespace sweep
