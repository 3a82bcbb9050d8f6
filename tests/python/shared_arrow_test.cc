// Arrow arrays that several have at once: what was shared is released once, when the last has let go, in whatever
// order.
#include "extension/shared_arrow.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace warpmeter::python {
namespace {

// A struct of one column with these values; counts how often it was released.
struct Column {
  std::vector<int> values = {1, 2, 3};
  std::vector<const void*> buffers = {nullptr, values.data()}, none = {nullptr};
  ArrowArray child{};
  std::vector<ArrowArray*> children = {&child};
  int* released;

  explicit Column(int& count) : released(&count) {}
};

ArrowArray array_that_counts(int& released) {
  auto column = std::make_unique<Column>(released);
  column->child.length = 3;
  column->child.n_buffers = 2;
  column->child.buffers = column->buffers.data();
  column->child.release = [](ArrowArray* child) { child->release = nullptr; };
  ArrowArray whole{};
  whole.length = 3;
  whole.n_buffers = 1;
  whole.n_children = 1;
  whole.buffers = column->none.data();
  whole.children = column->children.data();
  whole.release = [](ArrowArray* array) {
    const std::unique_ptr<Column> owned(static_cast<Column*>(array->private_data));
    ++*owned->released;
    array->release = nullptr;
  };
  whole.private_data = column.release();
  return whole;
}

int second_value(const ArrowArray& column) { return static_cast<const int*>(column.buffers[1])[1]; }

TEST(SharedArrow, IsReleasedWhenTheLastHasLetGo) {
  int released = 0;
  Shared<ArrowArray> shared = share(array_that_counts(released));
  ArrowArray one{}, other{};
  give(shared, one);
  give(shared, other);
  EXPECT_EQ(one.children[0]->buffers[1], other.children[0]->buffers[1]) << "nothing is copied";
  shared.reset();
  one.release(&one);
  EXPECT_EQ(one.release, nullptr);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(second_value(*other.children[0]), 2);
  other.release(&other);
  EXPECT_EQ(released, 1);
}

// As consumers do who want one column.
TEST(SharedArrow, ColumnsThatWereMovedAwayStay) {
  int released = 0;
  ArrowArray whole{}, moved{};
  give(share(array_that_counts(released)), whole);
  moved = *whole.children[0];
  whole.children[0]->release = nullptr;
  whole.release(&whole);
  EXPECT_EQ(released, 0);
  EXPECT_EQ(second_value(moved), 2);
  moved.release(&moved);
  EXPECT_EQ(released, 1);
}

TEST(SharedArrow, NobodyNeedTakeIt) {
  int released = 0;
  share(array_that_counts(released));
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace warpmeter::python
