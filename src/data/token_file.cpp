#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "sweep/base/error.h"
#include "sweep/data/corpus.h"

namespace sweep {

static_assert(std::endian::native == std::endian::little, "token files are little-endian");

TokenFile::TokenFile(const std::filesystem::path& folder, const CorpusFacts& facts)
    : train_(facts.train_tokens), val_(facts.val_tokens) {
  const auto file = folder / (facts.hash + ".bin");
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(ExitCode::kBadInput, "cannot open {}: {}", file.string(), std::strerror(errno));
  struct stat info{};
  ::fstat(fd, &info);
  const auto bytes = static_cast<std::size_t>(train_ + val_) * sizeof(Token);
  void* memory = MAP_FAILED;
  if (static_cast<std::size_t>(info.st_size) == bytes) {
    memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  }
  ::close(fd);
  if (memory == MAP_FAILED) {
    fail(ExitCode::kBadInput, "{}: {} bytes, {} expected; 'sweep verify' tells more", file.string(),
         info.st_size, bytes);
  }
  tokens_ = static_cast<const Token*>(memory);
}

TokenFile::~TokenFile() {
  ::munmap(const_cast<Token*>(tokens_), static_cast<std::size_t>(train_ + val_) * sizeof(Token));
}

}  // namespace sweep
