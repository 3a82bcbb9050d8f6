#include "record/arrow/arrow_array.h"

#include <array>
#include <memory>

namespace warpmeter::inline record {
namespace {

// What an array refers to.
struct Owned {
  ArrowColumn column;
  std::array<const void*, 3> buffers{};
  std::vector<std::unique_ptr<ArrowArray>> owned;
  std::vector<ArrowArray*> children;
};

// A child that was moved away has no release() any more.
void release(ArrowArray* array) {
  const std::unique_ptr<Owned> all(static_cast<Owned*>(array->private_data));
  for (ArrowArray* const child : all->children) {
    if (child->release) child->release(child);
  }
  array->release = nullptr;
}

void fill(ArrowArray& to, std::unique_ptr<Owned> all, std::int64_t rows, std::int64_t buffers) {
  for (const auto& child : all->owned) all->children.push_back(child.get());
  to = {rows,
        all->column.nulls,
        0,
        buffers,
        static_cast<std::int64_t>(all->children.size()),
        all->buffers.data(),
        all->children.data(),
        nullptr,
        release,
        nullptr};
  to.private_data = all.release();
}

void fill_column(ArrowArray& to, ArrowColumn&& column, std::int64_t rows) {
  auto all = std::make_unique<Owned>();
  all->column = std::move(column);
  const ArrowColumn& c = all->column;
  const bool is_text = !c.offsets.empty();
  all->buffers[0] = c.nulls ? c.validity.data() : nullptr;
  if (is_text) all->buffers[1] = c.offsets.data();
  all->buffers[is_text ? 2 : 1] = c.values.data();
  fill(to, std::move(all), rows, is_text ? 3 : 2);
}

}  // namespace

void export_array(std::vector<ArrowColumn> columns, std::int64_t rows, ArrowArray& to) {
  auto whole = std::make_unique<Owned>();
  for (ArrowColumn& column : columns) {
    whole->owned.push_back(std::make_unique<ArrowArray>());
    fill_column(*whole->owned.back(), std::move(column), rows);
  }
  fill(to, std::move(whole), rows, 1);
}

}  // namespace warpmeter::inline record
