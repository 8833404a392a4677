#include "sweep/base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "sweep/base/error.h"

namespace sweep {
namespace {

[[noreturn]] void fail_lock(const char* doing, const std::filesystem::path& file) {
  const bool full = errno == ENOSPC || errno == EDQUOT;
  fail(full ? ExitCode::kResources : ExitCode::kBadInput, "cannot {} {}: {}", doing, file.string(),
       std::strerror(errno));
}

#ifdef F_OFD_SETLK
// Open-file-description locks: unlike POSIX locks they survive the closing of another descriptor
// of the same file, and unlike flock they can be asked about without being taken.
struct flock whole_file() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool take(int fd) {
  struct flock lock = whole_file();
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

bool held_by_other(int fd) {
  struct flock lock = whole_file();
  return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
#else
// A shared probe can collide with somebody taking the lock in that instant, hence the retries.
bool take(int fd) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    ::usleep(10'000);
  }
  return false;
}

bool held_by_other(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return true;
  ::flock(fd, LOCK_UN);
  return false;
}
#endif

}  // namespace

FileLock::FileLock(int fd, std::filesystem::path file) : fd_(fd), file_(std::move(file)) {}

FileLock::FileLock(FileLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), file_(std::move(other.file_)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(file_, other.file_);
  return *this;
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<FileLock> FileLock::try_acquire(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) fail_lock("open", file);
  FileLock lock(fd, file);
  if (!take(fd)) return std::nullopt;
  return lock;
}

bool FileLock::is_held(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return false;
  if (fd < 0) fail_lock("open", file);
  const FileLock closer(fd, file);
  return held_by_other(fd);
}

void FileLock::write(std::string_view content) {
  if (::ftruncate(fd_, 0) != 0) fail_lock("write", file_);
  const ssize_t n = ::pwrite(fd_, content.data(), content.size(), 0);
  if (n >= 0 && n < static_cast<ssize_t>(content.size())) errno = ENOSPC;
  if (n != static_cast<ssize_t>(content.size()) || ::fsync(fd_) != 0) fail_lock("write", file_);
}

void FileLock::touch() {
  if (::futimens(fd_, nullptr) != 0) fail_lock("touch", file_);
}

}  // namespace sweep
