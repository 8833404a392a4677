#include "gpt/fused/arena.h"

#include <sys/mman.h>

#include <cstring>

#include "sweep/base/error.h"

namespace sweep {
namespace {

float* map_pages(std::size_t bytes) {
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    fail(ExitCode::kResources, "no memory for a training step: {:.0f} MB were asked for",
         static_cast<double>(bytes) * 1e-6);
  }
#ifdef MADV_HUGEPAGE
  ::madvise(pages, bytes, MADV_HUGEPAGE);
#endif
  std::memset(pages, 0, bytes);
  return static_cast<float*>(pages);
}

}  // namespace

Arena::Arena(std::int64_t count)
    : bytes_(static_cast<std::size_t>(count) * sizeof(float)), data_(map_pages(bytes_)) {}

Arena::~Arena() { ::munmap(data_, bytes_); }

}  // namespace sweep
