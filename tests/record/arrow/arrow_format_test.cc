// Flow Records as Arrow arrays: every value, nulls, and who releases what.
#include "record/arrow/arrow_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/arrow/arrow_export.h"
#include "support/extra_columns.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

constexpr int kRows = 21;  // no multiple of a byte's bits

FlowRecord record(int number) {
  FlowRecord r;
  r.key.version = number % 2 ? 6 : 4;
  r.key.source[0] = 10;
  r.key.source[15] = r.key.version == 6 ? 1 : 0;
  r.key.destination[0] = 192;
  r.key.protocol = number % 3 ? kProtocolTcp : kProtocolUdp;
  set_port_number(r.key.source_port, 60000 + number);
  r.start_ns = -number;
  r.end_ns = 1000LL * number;
  r.packets = static_cast<std::uint64_t>(number);
  r.bytes = UINT64_MAX - static_cast<std::uint64_t>(number);
  r.tcp_flags = 0x18;
  return r;
}

// Fields and children by name, released at the end.
struct Whole {
  ArrowSchema schema{};
  ArrowArray array{};
  std::map<std::string, int> number;

  Whole(const RecordLayout& layout, bool biflows) {
    const ArrowFormat format(layout);
    const auto section = format.new_section();
    for (int i = 0; i < kRows; ++i) {
      const FlowRecord reverse = record(100 + i);
      section->write(record(i), biflows && i % 2 ? &reverse : nullptr);
    }
    auto& columns = static_cast<ArrowSection&>(*section);
    EXPECT_EQ(columns.rows(), kRows);
    columns.take(array);
    EXPECT_EQ(columns.rows(), 0);
    EXPECT_EQ(columns.bytes(), 0U);
    export_schema(arrow_fields(format.columns()), schema);
    EXPECT_EQ(schema.n_children, array.n_children);
    for (int i = 0; i < schema.n_children; ++i) number[schema.children[i]->name] = i;
  }
  ~Whole() {
    if (schema.release) schema.release(&schema);
    if (array.release) array.release(&array);
  }

  const ArrowArray& column(const std::string& name) const { return *array.children[number.at(name)]; }
  std::string format(const std::string& name) const { return schema.children[number.at(name)]->format; }
  bool nullable(const std::string& name) const { return schema.children[number.at(name)]->flags & ARROW_FLAG_NULLABLE; }

  template <class T>
  std::optional<T> value(const std::string& name, int row) const {
    const ArrowArray& c = column(name);
    const auto* const bits = static_cast<const std::uint8_t*>(c.buffers[0]);
    if (bits && !(bits[row / 8] >> row % 8 & 1)) return std::nullopt;
    return static_cast<const T*>(c.buffers[1])[row];
  }
  std::string text(const std::string& name, int row) const {
    const ArrowArray& c = column(name);
    const auto* const offsets = static_cast<const std::int32_t*>(c.buffers[1]);
    return {static_cast<const char*>(c.buffers[2]) + offsets[row],
            static_cast<const char*>(c.buffers[2]) + offsets[row + 1]};
  }
};

TEST(ArrowFormat, HasTheTypesOfTheColumns) {
  const Whole all({.vlan = true,
                   .biflow = true,
                   .extra = {test::extra_column("community_id"), std::make_shared<test::PacketMarks>()}},
                  true);
  EXPECT_STREQ(all.schema.format, "+s");
  EXPECT_EQ(all.format("src_addr"), "u");
  EXPECT_EQ(all.format("vlan_id"), "S");
  EXPECT_EQ(all.format("protocol"), "C");
  EXPECT_EQ(all.format("start_ns"), "tsn:UTC");
  EXPECT_EQ(all.format("bytes"), "l");
  EXPECT_EQ(all.format("duration_ns"), "l");
  EXPECT_EQ(all.format("community_id"), "u");
  EXPECT_FALSE(all.nullable("community_id"));
  EXPECT_EQ(all.format("packet_marks"), "u");
  EXPECT_TRUE(all.nullable("packet_marks"));
  EXPECT_FALSE(all.nullable("start_ns"));
  EXPECT_TRUE(all.nullable("reverse_start_ns"));
  EXPECT_TRUE(all.nullable("payload_bytes"));
  const Whole us({.times = TimeForm::us}, false);
  EXPECT_EQ(us.format("start_us"), "tsu:UTC");
}

TEST(ArrowFormat, HoldsEveryValue) {
  const Whole all({.biflow = true}, true);
  EXPECT_EQ(all.array.length, kRows);
  for (int row = 0; row < kRows; ++row) {
    EXPECT_EQ(all.text("src_addr", row), row % 2 ? "a00::1" : "10.0.0.0");
    EXPECT_EQ(all.value<std::uint16_t>("src_port", row), 60000 + row);
    EXPECT_EQ(all.value<std::int64_t>("start_ns", row), -row);
    EXPECT_EQ(all.value<std::int64_t>("duration_ns", row), 1001 * row);
    EXPECT_EQ(all.value<std::uint64_t>("bytes", row), UINT64_MAX - static_cast<std::uint64_t>(row));
    const bool tcp = row % 3 != 0;
    EXPECT_EQ(all.value<std::uint8_t>("tcp_flags", row), tcp ? std::optional<std::uint8_t>(0x18) : std::nullopt);
    EXPECT_EQ(all.value<std::int64_t>("connection_bytes", row), std::nullopt);
    EXPECT_EQ(all.value<std::uint64_t>("reverse_packets", row),
              row % 2 ? std::optional<std::uint64_t>(100 + row) : std::nullopt);
  }
  EXPECT_EQ(all.column("tcp_flags").null_count, kRows / 3);
  EXPECT_EQ(all.column("connection_bytes").null_count, kRows);
  EXPECT_EQ(all.column("packets").null_count, 0);
  EXPECT_EQ(all.column("packets").buffers[0], nullptr);
}

TEST(ArrowFormat, HoldsExtraColumns) {
  const Whole all({.extra = {std::make_shared<test::PacketMarks>(), test::extra_column("community_id")}}, false);
  for (int row = 0; row < kRows; ++row) {
    EXPECT_EQ(all.text("packet_marks", row), std::string(static_cast<std::size_t>(row), 'x'));
    EXPECT_EQ(all.text("community_id", row).substr(0, 2), "1:");
  }
  EXPECT_EQ(all.column("packet_marks").null_count, 1);
  EXPECT_EQ(all.column("community_id").buffers[0], nullptr);
}

TEST(ArrowFormat, HoldsTextsAndListsOfWhatWasNoted) {
  const RecordLayout layout{.extra = test::annotation_columns()};
  const ArrowFormat format(layout);
  const auto section = format.new_section();
  section->write(record(0), nullptr);
  section->write_annotated(
      record(1), nullptr, test::annotations_of({{1, test::kTags, "b"}, {2, test::kTags, "a"}, {3, test::kTitle, "t"}}));
  section->write(record(2), nullptr);
  ArrowArray array;
  static_cast<ArrowSection&>(*section).take(array);
  ArrowSchema schema;
  export_schema(arrow_fields(format.columns()), schema);
  const std::int64_t last = schema.n_children - 1;
  ASSERT_EQ(array.n_children, schema.n_children);
  EXPECT_STREQ(schema.children[last - 1]->format, "+l");
  ASSERT_EQ(schema.children[last - 1]->n_children, 1);
  EXPECT_STREQ(schema.children[last - 1]->children[0]->format, "u");
  const ArrowArray& lists = *array.children[last - 1];
  EXPECT_EQ(lists.length, 3);
  EXPECT_EQ(lists.null_count, 0);
  const auto* const begins = static_cast<const std::int32_t*>(lists.buffers[1]);
  EXPECT_EQ(std::vector<std::int32_t>(begins, begins + 4), (std::vector<std::int32_t>{0, 0, 2, 2}));
  ASSERT_EQ(lists.n_children, 1);
  const ArrowArray& items = *lists.children[0];
  EXPECT_EQ(items.length, 2);
  EXPECT_EQ(std::string(static_cast<const char*>(items.buffers[2]), 2), "ba");
  const ArrowArray& texts = *array.children[last];
  EXPECT_EQ(texts.null_count, 2);
  EXPECT_EQ(*static_cast<const std::uint8_t*>(texts.buffers[0]), 2);  // the second row alone
  EXPECT_EQ(*static_cast<const char*>(texts.buffers[2]), 't');
  array.release(&array);
  schema.release(&schema);
}

TEST(ArrowFormat, LeavesOutWhatIsAbsent) {
  const Whole all({.absent = std::uint32_t{1} << column_number("packets")}, false);
  EXPECT_EQ(all.column("packets").null_count, kRows);
  EXPECT_EQ(all.column("bytes").null_count, 0);
}

TEST(ArrowFormat, ChildrenMayBeMovedAway) {
  ArrowArray array;
  ArrowSchema field;
  {
    Whole all({}, false);
    ArrowArray* const from = all.array.children[all.number["bytes"]];
    array = *from;
    from->release = nullptr;
    ArrowSchema* const name = all.schema.children[all.number["bytes"]];
    field = *name;
    name->release = nullptr;
  }
  EXPECT_STREQ(field.name, "bytes");
  EXPECT_EQ(static_cast<const std::uint64_t*>(array.buffers[1])[1], UINT64_MAX - 1);
  array.release(&array);
  field.release(&field);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(field.release, nullptr);
}

}  // namespace
}  // namespace warpmeter
