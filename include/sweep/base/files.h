#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// Every failure below throws `Error` naming the file: `kResources` when the disk or quota is full,
/// `kBadInput` otherwise.

std::string read_file(const std::filesystem::path& file);

/// nullopt when the file does not exist; other failures throw.
std::optional<std::string> read_file_if_exists(const std::filesystem::path& file);

/// Publishes `bytes` under `file` so that a reader, or a machine that lost power, sees the old
/// content or the new one and nothing between: temporary file, fsync, rename, fsync of the folder.
void publish(const std::filesystem::path& file, std::string_view bytes);

/// fsync of a folder, so that names created or renamed in it survive a power loss.
void sync_folder(const std::filesystem::path& folder);

/// The complete lines of a file, without their newlines. A torn last line (no newline) is left out;
/// a missing file has no lines.
std::vector<std::string> read_lines(const std::filesystem::path& file);

/// Moves the end of `file` back to `size` bytes; a shorter file throws.
void truncate_file(const std::filesystem::path& file, std::uint64_t size);

/// Appends lines to a journal. Opening cuts a torn last line off, so that one crash never spoils
/// the next entry. Each `append` is one write(2): complete, or an `Error`.
class LineWriter {
 public:
  explicit LineWriter(const std::filesystem::path& file);
  ~LineWriter();
  LineWriter(LineWriter&& other) noexcept;
  LineWriter& operator=(LineWriter&&) = delete;
  LineWriter(const LineWriter&) = delete;

  void append(std::string_view line);
  /// Flushes to the disk.
  void sync();
  /// Bytes in the file, all of them whole lines.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::filesystem::path file_;
  int fd_;
  std::uint64_t size_ = 0;
};

/// Opens, appends one line, fsyncs, closes: for rare entries such as audit events.
void append_line(const std::filesystem::path& file, std::string_view line);

/// For tests of crash safety: ends the process with SIGKILL when the environment's
/// SWEEP_CRASH_AT equals `label`.
void crash_point(std::string_view label);

}  // namespace sweep
