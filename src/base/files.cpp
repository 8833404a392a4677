#include "sweep/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "sweep/base/error.h"

namespace sweep {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_io(const char* doing, const fs::path& file, int error) {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  fail(full ? ExitCode::kResources : ExitCode::kBadInput, "{} {}: {}{}", doing, file.string(),
       std::strerror(error), full ? " (make room, then run 'sweep resume')" : "");
}

class Fd {
 public:
  Fd(const fs::path& file, int flags, mode_t mode = 0644)
      : fd_(::open(file.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view bytes, const fs::path& file) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io("cannot write", file, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string read_fd(int fd, const fs::path& file) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) fail_io("cannot read", file, errno);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_io("cannot read", file, errno);
    if (n == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(n));
  }
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Length of the part of a journal that ends with a newline.
std::uint64_t whole_lines_length(std::string_view bytes) {
  const auto last = bytes.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace

std::string read_file(const fs::path& file) {
  const Fd fd(file, O_RDONLY);
  if (fd.get() < 0) fail_io("cannot open", file, errno);
  return read_fd(fd.get(), file);
}

std::optional<std::string> read_file_if_exists(const fs::path& file) {
  const Fd fd(file, O_RDONLY);
  if (fd.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (fd.get() < 0) fail_io("cannot open", file, errno);
  return read_fd(fd.get(), file);
}

void sync_folder(const fs::path& folder) {
  const Fd fd(folder, O_RDONLY | O_DIRECTORY);
  if (fd.get() < 0) fail_io("cannot open", folder, errno);
  // Some network file systems cannot sync a folder and say so; there is nothing better to do there.
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail_io("cannot sync", folder, errno);
  }
}

void publish(const fs::path& file, std::string_view bytes) {
  const std::string name = file.filename().string();
  const fs::path temporary = folder_of(file) / ("." + name + ".tmp");
  try {
    const Fd fd(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd.get() < 0) fail_io("cannot create", temporary, errno);
    crash_point("publish.created:" + name);
    write_all(fd.get(), bytes, file);
    crash_point("publish.written:" + name);
    if (::fsync(fd.get()) != 0) fail_io("cannot sync", file, errno);
  } catch (const Error&) {
    ::unlink(temporary.c_str());
    throw;
  }
  crash_point("publish.synced:" + name);
  if (::rename(temporary.c_str(), file.c_str()) != 0) fail_io("cannot rename to", file, errno);
  crash_point("publish.renamed:" + name);
  sync_folder(folder_of(file));
}

std::vector<std::string> read_lines(const fs::path& file) {
  const auto bytes = read_file_if_exists(file);
  std::vector<std::string> lines;
  if (!bytes) return lines;
  std::size_t begin = 0;
  for (auto end = bytes->find('\n'); end != std::string::npos; end = bytes->find('\n', begin)) {
    lines.push_back(bytes->substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void truncate_file(const fs::path& file, std::uint64_t size) {
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0) fail_io("cannot read", file, errno);
  if (static_cast<std::uint64_t>(info.st_size) < size) {
    fail(ExitCode::kBadInput, "{}: {} bytes long, at least {} expected", file.string(),
         info.st_size, size);
  }
  if (::truncate(file.c_str(), static_cast<off_t>(size)) != 0) fail_io("cannot cut", file, errno);
}

LineWriter::LineWriter(const fs::path& file) : file_(file) {
  const std::string bytes = read_file_if_exists(file).value_or("");
  size_ = whole_lines_length(bytes);
  fd_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail_io("cannot open", file, errno);
  // Only a torn line is cut: another process may have appended a whole one since the look above.
  const bool torn = size_ < bytes.size();
  if (torn && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) fail_io("cannot cut", file, errno);
}

LineWriter::LineWriter(LineWriter&& other) noexcept
    : file_(std::move(other.file_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

LineWriter::~LineWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void LineWriter::append(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
  if (n == static_cast<ssize_t>(bytes.size())) {
    size_ += bytes.size();
    return;
  }
  // A partial write is how a full disk often shows itself: take the torn line back.
  const int error = n < 0 ? errno : ENOSPC;
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) fail_io("cannot cut", file_, errno);
  fail_io("cannot write", file_, error);
}

void LineWriter::sync() {
  if (::fsync(fd_) != 0) fail_io("cannot sync", file_, errno);
}

void append_line(const fs::path& file, std::string_view line) {
  LineWriter writer(file);
  writer.append(line);
  writer.sync();
}

void crash_point(std::string_view label) {
  const char* const wanted = std::getenv("SWEEP_CRASH_AT");
  if (wanted != nullptr && label == wanted) ::raise(SIGKILL);
}

}  // namespace sweep
