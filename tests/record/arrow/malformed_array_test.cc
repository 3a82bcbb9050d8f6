// Arrays of a program that has a fault are refused with what is wrong, before anything is read that is not there.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/arrow/arrow_reader.h"
#include "support/arrow_stream.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using SpoilSchema = std::function<void(ArrowSchema&)>;
using SpoilArray = std::function<void(ArrowArray&)>;

// A schema and an array of which any pointer may be changed: who owns them is beside them.
struct Spoilt {
  Spoilt(const SpoilSchema& schema_change, const SpoilArray& array_change) {
    std::vector<Biflow> flows(2);
    for (Biflow& flow : flows) flow.forward.key.version = 4;
    ArrowArrayStream stream = test::batches_of(flows, {}).stream();
    stream.get_schema(&stream, &schema);
    stream.get_next(&stream, &array);
    stream.release(&stream);
    owned_schema = schema;
    owned_array = array;
    for (std::int64_t i = 0; i < array.n_children; ++i) {
      owned_fields.push_back(*schema.children[i]);
      owned_columns.push_back(*array.children[i]);
    }
    schema.release = [](ArrowSchema* s) { s->release = nullptr; };
    array.release = [](ArrowArray* a) { a->release = nullptr; };
    if (schema_change) schema_change(schema);
    if (array_change) array_change(array);
  }
  ~Spoilt() {
    for (std::size_t i = 0; i < owned_fields.size(); ++i) {
      if (owned_schema.children[i]) *owned_schema.children[i] = owned_fields[i];
      if (owned_array.children[i]) *owned_array.children[i] = owned_columns[i];
    }
    owned_schema.release(&owned_schema);
    owned_array.release(&owned_array);
  }
  Spoilt(const Spoilt&) = delete;
  Spoilt& operator=(const Spoilt&) = delete;

  ArrowArrayStream stream() {
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* s, ArrowSchema* to) {
      *to = static_cast<Spoilt*>(s->private_data)->schema;
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* s, ArrowArray* to) {
      *to = static_cast<Spoilt*>(s->private_data)->array;
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
    stream.release = [](ArrowArrayStream* s) { s->release = nullptr; };
    return stream;
  }

  ArrowSchema schema{}, owned_schema{};
  ArrowArray array{}, owned_array{};
  std::vector<ArrowSchema> owned_fields;
  std::vector<ArrowArray> owned_columns;
};

std::string error_of(const SpoilSchema& schema_change, const SpoilArray& array_change) {
  Spoilt spoilt(schema_change, array_change);
  ArrowArrayStream stream = spoilt.stream();
  return test::thrown_text([&] {
    ArrowReader reader(stream, "flows");
    Biflow flow;
    reader.next(flow);
    reader.next(flow);
  });
}
std::string of_schema(const SpoilSchema& change) { return error_of(change, {}); }
std::string of_array(const SpoilArray& change) { return error_of({}, change); }

TEST(MalformedArrow, NameMayBeMissing) {
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.name = nullptr; }), "");
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.children[s.n_children - 1]->name = nullptr; }), "");
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.children[0]->name = nullptr; }),
            "flows: no Flow Records: there is no column src_addr");
}

TEST(MalformedArrow, SchemaIsRefused) {
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.format = nullptr; }), "flows: no Flow Records: it has no columns");
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.children[0]->format = nullptr; }),
            "flows: the type of its column src_addr is none that Flow Records can have");
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.children = nullptr; }), "flows: its schema makes no sense");
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.n_children = -1; }), "flows: its schema makes no sense");
  EXPECT_EQ(of_schema([](ArrowSchema& s) { s.release = nullptr; }), "flows: the stream has no schema");
}

TEST(MalformedArrow, BatchIsRefused) {
  const std::string length = "flows: a batch after row 0 has an impossible length or offset";
  EXPECT_EQ(of_array([](ArrowArray& a) { a.length = -1; }), length);
  EXPECT_EQ(of_array([](ArrowArray& a) { a.offset = -1; }), length);
  EXPECT_EQ(of_array([](ArrowArray& a) { a.offset = INT64_MAX; }), length);
  const std::string columns = "flows: a batch after row 0 has not the columns of the schema";
  EXPECT_EQ(of_array([](ArrowArray& a) { --a.n_children; }), columns);
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children = nullptr; }), columns);
}

TEST(MalformedArrow, ColumnIsRefused) {
  const std::string begin = "flows: a batch after row 0 makes no sense: src_addr ";
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children[0]->n_buffers = 0; }), begin + "has too few buffers");
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children[0]->buffers = nullptr; }), begin + "has too few buffers");
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children[0]->length = 1; }), begin + "is shorter than its batch");
  EXPECT_EQ(of_array([](ArrowArray& a) { a.length = 3; }), begin + "is shorter than its batch");
  EXPECT_EQ(of_array([](ArrowArray& a) { a.offset = 1; }), begin + "is shorter than its batch");
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children[0]->length = -1; }), begin + "has a negative length or offset");
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children[0]->offset = -1; }), begin + "has a negative length or offset");
  const std::string impossible = begin + "has an impossible length or offset";
  for (const std::int64_t offset : {INT64_MAX, INT64_MAX - 2, std::int64_t{1} << 60}) {
    EXPECT_EQ(of_array([&](ArrowArray& a) { a.children[0]->offset = offset; }), impossible);
  }
  EXPECT_EQ(of_array([](ArrowArray& a) { a.children[0]->length = INT64_MAX; }), impossible);
}

// The column src_addr with these for its two rows.
std::string of_offsets(std::vector<std::int32_t> offsets) {
  std::vector<const void*> buffers;
  return of_array([&](ArrowArray& a) {
    buffers = {nullptr, offsets.data(), a.children[0]->buffers[2]};
    a.children[0]->buffers = buffers.data();
  });
}

TEST(MalformedArrow, PlaceOfATextIsRefused) {
  const std::string place = "src_addr: where its text is makes no sense";
  EXPECT_EQ(of_offsets({0, 7, 14}), "");
  EXPECT_EQ(of_offsets({-5, 7, 14}), "flows: row 1: " + place);
  EXPECT_EQ(of_offsets({0, 7, 3}), "flows: row 2: " + place);
  EXPECT_EQ(of_offsets({0, 7, INT32_MAX}), "flows: row 2: " + place);
  std::vector<const void*> buffers;
  EXPECT_EQ(of_array([&](ArrowArray& a) {
              buffers = {nullptr, a.children[0]->buffers[1], nullptr};
              a.children[0]->buffers = buffers.data();
            }),
            "flows: row 1: " + place);
}

// Texts as views: the second one leads to the buffer behind them.
std::string of_view(std::int32_t length, std::int32_t buffer, std::int32_t at, bool is_there = true) {
  struct View {
    std::int32_t length;
    char first[4];
    std::int32_t buffer, at;
  };
  std::vector<View> views = {{7, {'0', '.', '0', '.'}, 0, 0}, {length, {'0', '.', '0', '.'}, buffer, at}};
  std::memcpy(&views[0].buffer, "0.0", 4);
  const std::string text = "....2001:db8::1234";
  const std::vector<std::int64_t> lengths = {static_cast<std::int64_t>(text.size())};
  const std::vector<const void*> buffers = {nullptr, views.data(), is_there ? text.data() : nullptr, lengths.data()};
  return error_of([](ArrowSchema& s) { s.children[0]->format = "vu"; },
                  [&](ArrowArray& a) {
                    a.children[0]->buffers = const_cast<const void**>(buffers.data());
                    a.children[0]->n_buffers = 4;
                  });
}

TEST(MalformedArrow, ViewOfATextIsRefused) {
  const std::string place = "flows: row 2: src_addr: where its text is makes no sense";
  EXPECT_NE(of_view(14, 0, 4), place);
  for (const std::int32_t length : {-1, 15, INT32_MAX}) EXPECT_EQ(of_view(length, 0, 4), place);
  for (const std::int32_t buffer : {-1, 1, INT32_MAX}) EXPECT_EQ(of_view(14, buffer, 4), place);
  for (const std::int32_t at : {-1, 5, INT32_MAX}) EXPECT_EQ(of_view(14, 0, at), place);
  EXPECT_EQ(of_view(14, 0, 4, false), place);
}

}  // namespace
}  // namespace warpmeter
