// The program's own operator new counts and does what the standard one does.
#include <atomic>
#include <cstdlib>
#include <new>

#include "gpt/usage.h"

namespace sweep {
namespace {

std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::int64_t allocations_made() { return allocations.load(std::memory_order_relaxed); }

}  // namespace sweep

void* operator new(std::size_t bytes) { return sweep::counted(bytes); }
void* operator new[](std::size_t bytes) { return sweep::counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
