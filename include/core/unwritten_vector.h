// A vector whose elements are not written before somebody does: large ones take memory only as far as they are used.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpmeter {

template <class T>
class UnwrittenAllocator : public std::allocator<T> {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  template <class U>
  struct rebind {
    using other = UnwrittenAllocator<U>;
  };

  UnwrittenAllocator() = default;
  template <class U>
  UnwrittenAllocator(const UnwrittenAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  template <class U>
  void construct(U*) {}
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using UnwrittenVector = std::vector<T, UnwrittenAllocator<T>>;

}  // namespace warpmeter
