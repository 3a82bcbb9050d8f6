// Arrow arrays and schemas that several consumers have at once: each gets a structure of its own over the same buffers,
// and what was shared is released when the last of them, and of those that share it here, has gone.
//
// Threads: any, since std::shared_ptr counts.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "warpmeter/arrow_c_data.h"

namespace warpmeter::python {

// Of an ArrowArray or an ArrowSchema.
template <class T>
using Shared = std::shared_ptr<const T>;

namespace shared_arrow_detail {

// What one structure has of its own. Consumers move children away and release them when they like.
template <class T>
struct Node {
  Shared<T> whole;
  std::vector<T> children;
  std::vector<T*> pointers;
};

template <class T>
void release(T* given) {
  const std::unique_ptr<Node<T>> node(static_cast<Node<T>*>(given->private_data));
  for (T& child : node->children) {
    if (child.release) child.release(&child);
  }
  given->release = nullptr;
}

template <class T>
void give(const Shared<T>& whole, const T& part, T& to) {
  auto node = std::make_unique<Node<T>>();
  node->whole = whole;
  node->children.resize(static_cast<std::size_t>(part.n_children));
  for (std::size_t i = 0; i < node->children.size(); ++i) {
    give(whole, *part.children[i], node->children[i]);
    node->pointers.push_back(&node->children[i]);
  }
  to = part;
  to.children = node->pointers.data();
  to.release = release<T>;
  to.private_data = node.release();
}

}  // namespace shared_arrow_detail

// Takes it over. Of those with a dictionary none is made here.
template <class T>
Shared<T> share(T&& taken) {
  return Shared<T>(new T(std::exchange(taken, {})), [](const T* whole) {
    auto* const owned = const_cast<T*>(whole);
    if (owned->release) owned->release(owned);
    delete owned;
  });
}

// `to` is overwritten, and for whoever gets it to release.
template <class T>
void give(const Shared<T>& whole, T& to) {
  shared_arrow_detail::give(whole, *whole, to);
}

}  // namespace warpmeter::python
