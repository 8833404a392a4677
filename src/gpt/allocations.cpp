// The program's own operator new counts and does what the standard one does.
#include <atomic>
#include <cstdlib>
#include <new>

#include "gpt/usage.h"

namespace sweep {
namespace {

std::atomic<std::int64_t> allocations{0};

void* counted_or_null(std::size_t bytes) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* counted(std::size_t bytes) {
  void* memory = counted_or_null(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::int64_t allocations_made() { return allocations.load(std::memory_order_relaxed); }

}  // namespace sweep

void* operator new(std::size_t bytes) { return sweep::counted(bytes); }
void* operator new[](std::size_t bytes) { return sweep::counted(bytes); }
// The standard one of this kind calls the one above, a sanitizer's does not.
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return sweep::counted_or_null(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
