#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace sweep {

/// An advisory lock on a file, held for this object's life and given back by the kernel when the
/// process ends in any way. It belongs to the open file, so children do not inherit it.
class FileLock {
 public:
  /// Creates the file when it is missing. nullopt when somebody else holds the lock.
  static std::optional<FileLock> try_acquire(const std::filesystem::path& file);

  /// Whether somebody holds the lock. Takes nothing, changes nothing, works on a read-only folder;
  /// false for a missing file.
  static bool is_held(const std::filesystem::path& file);

  /// Replaces the file's content and flushes it. Readers may meet a torn text after a crash: the
  /// lock is the truth, the content says who.
  void write(std::string_view content);

  /// Renews the file's modification time: the sign of life that other machines go by.
  void touch();

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;

 private:
  FileLock(int fd, std::filesystem::path file);
  int fd_;
  std::filesystem::path file_;
};

}  // namespace sweep
