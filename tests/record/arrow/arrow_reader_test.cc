// Flow Records come back from Arrow arrays as they went in, also from other types than those that are written; what
// makes no Flow Records is told, and everything is released.
#include "record/arrow/arrow_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "support/arrow_stream.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

FlowRecord read_back(int number) {
  FlowRecord r;
  r.key.version = number % 2 ? 6 : 4;
  r.key.source[0] = 10;
  r.key.source[15] = r.key.version == 6 ? 1 : 0;
  r.key.destination[0] = 192;
  r.key.protocol = number % 3 ? kProtocolTcp : kProtocolUdp;
  set_port_number(r.key.source_port, 60000 + number);
  set_port_number(r.key.destination_port, 443);
  set_port_number(r.key.vlan, number);
  r.start_ns = 1'700'000'000'123'456'789 + number;
  r.end_ns = r.start_ns + 1000 * number;
  r.packets = static_cast<std::uint64_t>(number);
  r.bytes = INT64_MAX - static_cast<std::uint64_t>(number);
  if (r.key.protocol != kProtocolTcp) return r;
  r.retransmitted_segments = 7;
  r.tcp_flags = 0x18;
  r.connection_ns = number;
  if (number % 2) r.flags |= kHasConnection;
  return r;
}

std::vector<Biflow> flows() {
  std::vector<Biflow> all;
  for (int i = 0; i < 11; ++i) {
    Biflow flow{read_back(i), read_back(i), i % 2 == 0};
    flow.reverse.key = swapped(flow.forward.key);
    all.push_back(flow);
  }
  return all;
}

// As a writer of whole Flow Records sees them.
void expect_same(const FlowRecord& got, const FlowRecord& expected) {
  EXPECT_EQ(compare(got.key, expected.key), 0);
  EXPECT_EQ(got.start_ns, expected.start_ns);
  EXPECT_EQ(got.end_ns, expected.end_ns);
  EXPECT_EQ(got.absent, 0U);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    EXPECT_EQ(kColumns[i].value(got), kColumns[i].value(expected)) << kColumns[i].name;
  }
}

TEST(ArrowReader, GivesBackWhatWasWritten) {
  for (const TimeForm form : {TimeForm::ns, TimeForm::iso}) {
    bool released = false;
    {
      ArrowArrayStream stream =
          test::batches_of(flows(), {.vlan = true, .biflow = true, .times = form}).stream(&released);
      ArrowReader reader(stream, "flows");
      EXPECT_EQ(stream.release, nullptr) << "it was taken over";
      Biflow flow;
      for (const Biflow& expected : flows()) {
        ASSERT_TRUE(reader.next(flow));
        expect_same(flow.forward, expected.forward);
        ASSERT_EQ(flow.has_reverse, expected.has_reverse);
        if (flow.has_reverse) expect_same(flow.reverse, expected.reverse);
      }
      EXPECT_FALSE(reader.next(flow));
      EXPECT_FALSE(reader.next(flow));
      EXPECT_FALSE(reader.damage());
      EXPECT_TRUE(reader.layout().vlan);
      EXPECT_TRUE(reader.layout().biflow);
      EXPECT_EQ(reader.layout().absent, 0U);
    }
    EXPECT_TRUE(released);
  }
}

TEST(ArrowReader, CutsToMicrosecondsAsTheColumnsDo) {
  ArrowArrayStream stream = test::batches_of(flows(), {.times = TimeForm::us}).stream();
  ArrowReader reader(stream, "flows");
  Biflow flow;
  ASSERT_TRUE(reader.next(flow));
  EXPECT_EQ(flow.forward.start_ns, 1'700'000'000'123'456'000);
}

TEST(ArrowReader, GivesBackLabelsAndFields) {
  const auto column = [](const char* name, std::uint32_t number) {
    return std::make_shared<AnnotationColumn>(name, number, number == 0);
  };
  std::vector<Annotations> noted(flows().size());
  for (std::size_t i = 0; i < noted.size(); ++i) {
    for (std::size_t n = 0; n < i % 4; ++n) noted[i].add({0, 0, "label" + std::to_string(n)});
    if (i % 3) noted[i].add({0, 1, "host" + std::to_string(i) + ".example"});
  }
  const RecordLayout layout{.biflow = true, .extra = {column("labels", 0), column("host", 1)}};
  ArrowArrayStream stream = test::batches_of(flows(), layout, 3, noted).stream();
  ArrowReader reader(stream, "flows");
  ASSERT_EQ(reader.layout().extra.size(), 2u);
  EXPECT_TRUE(reader.layout().extra[0]->is_list());
  EXPECT_EQ(reader.layout().extra[1]->name(), "host");
  std::size_t i = 0;
  for (Biflow flow; reader.next(flow); ++i) {
    EXPECT_EQ(reader.annotations().list_of(0), noted[i].list_of(0));
    EXPECT_EQ(reader.annotations().first_of(1), noted[i].first_of(1));
  }
  EXPECT_EQ(i, noted.size());
}

TEST(ArrowReader, LetsGoOfTheRest) {
  bool released = false;
  {
    ArrowArrayStream stream = test::batches_of(flows(), {}).stream(&released);
    ArrowReader reader(stream, "flows");
    Biflow flow;
    EXPECT_TRUE(reader.next(flow));
  }
  EXPECT_TRUE(released);
}

constexpr const char* kAddress = "10.0.0.1";

// The least that Flow Records have, with these types; and one column more.
struct Table {
  std::vector<ArrowField> fields = {{"src_addr", "u"}, {"dst_addr", "u"},       {"src_port", "i"}, {"dst_port", "l"},
                                    {"protocol", "s"}, {"start_ns", "tsu:UTC"}, {"end_ns", "l"}};
  explicit Table(ArrowField more) { fields.push_back(more); }

  template <class Value>
  ArrowArrayStream stream(const Value& value) const {
    // What is no type of ours is laid out as another of the same width.
    std::vector<ArrowField> laid_out = fields;
    for (ArrowField& field : laid_out) {
      if (field.format == "i" || field.format == "n") field.format = "L";
    }
    ArrowRows rows(laid_out);
    rows.put(0, kAddress);
    rows.put(1, kAddress);
    for (std::size_t i : {2, 3, 4}) rows.put(i, std::int64_t{6});
    rows.put(5, std::int64_t{1'700'000'000'000'001});
    rows.put(6, std::int64_t{1'700'000'000'000'002'000});
    if constexpr (std::is_same_v<Value, std::nullptr_t>) rows.put_null(7);
    else rows.put(7, value);
    rows.end_row();
    ArrowArray array{};
    rows.take(array);
    test::ArrowBatches batches(fields);
    batches.add(array);
    return batches.stream();
  }
};

template <class Value>
Biflow read(ArrowField more, const Value& value) {
  ArrowArrayStream stream = Table(std::move(more)).stream(value);
  ArrowReader reader(stream, "flows");
  Biflow flow;
  EXPECT_TRUE(reader.next(flow));
  return flow;
}

TEST(ArrowReader, TakesWhateverHoldsTheValues) {
  const Biflow flow = read({"packets", "L"}, std::int64_t{5});
  EXPECT_EQ(flow.forward.start_ns, 1'700'000'000'000'001'000) << "the type tells the unit";
  EXPECT_EQ(flow.forward.end_ns, 1'700'000'000'000'002'000);
  EXPECT_EQ(port_number(flow.forward.key.source_port), 6);
  EXPECT_EQ(flow.forward.packets, 5U);
  EXPECT_NE(flow.forward.absent, 0U);
  EXPECT_EQ(flow.forward.absent >> column_number("packets") & 1, 0U);
  const auto knows_packets = [](const Biflow& f) { return !(f.forward.absent >> column_number("packets") & 1); };
  EXPECT_EQ(read({"packets", "g"}, 5.0).forward.packets, 5U);
  EXPECT_FALSE(knows_packets(read({"packets", "g"}, std::nan(""))));
  EXPECT_FALSE(knows_packets(read({"packets", "L"}, nullptr)));
  EXPECT_EQ(read({"packets", "u"}, "5").forward.packets, 5U);
  EXPECT_EQ(read({"connection_ns", "tDm"}, std::int64_t{5}).forward.connection_ns, 5'000'000);
  EXPECT_EQ(read({"what_others_have", "w:16"}, std::int64_t{5}).forward.packets, 0U) << "is passed over";
}

// Of a column without any value polars and pyarrow do not know more.
TEST(ArrowReader, AColumnOfNothingIsNotKnown) {
  const Biflow flow = read({"packets", "n"}, nullptr);
  EXPECT_EQ(flow.forward.absent >> column_number("packets") & 1, 1U);
}

// The rows 1, 0, none and "2" of it, of which "2" is itself none; from the second on.
TEST(ArrowReader, TakesDictionaries) {
  const std::int32_t text_ends[] = {0, 3, 8, 8};
  const std::int8_t numbers[] = {1, 0, 0, 2};
  const std::uint8_t known = 0b1011, known_texts = 0b011;
  const void* text_buffers[] = {&known_texts, text_ends, "1.5packet"};
  const void* buffers[] = {&known, numbers};
  ArrowSchema text_schema{}, schema{};
  text_schema.format = "u";
  schema.format = "c";
  schema.dictionary = &text_schema;
  ArrowArray texts{}, array{};
  texts.length = 3;
  texts.null_count = -1;
  texts.buffers = text_buffers;
  array.length = 3;
  array.offset = 1;
  array.null_count = -1;
  array.buffers = buffers;
  array.dictionary = &texts;
  const std::optional<ArrowType> type = ArrowType::of(schema);
  ASSERT_TRUE(type);
  EXPECT_TRUE(type->is_text());
  ASSERT_FALSE(type->is_none(array, 0));
  EXPECT_EQ(type->text(array, 0), "1.5");
  EXPECT_TRUE(type->is_none(array, 1));
  EXPECT_TRUE(type->is_none(array, 2));
  texts.length = 0;
  ASSERT_FALSE(type->is_none(array, 0));
  EXPECT_FALSE(type->text(array, 0)) << "the dictionary has no such value";
  array.n_buffers = 2;
  EXPECT_EQ(type->problem_of(&array, 3), "has too few buffers") << "that is, the dictionary";
  array.dictionary = nullptr;
  EXPECT_EQ(type->problem_of(&array, 3), "is missing");
  schema.format = "u";
  EXPECT_FALSE(ArrowType::of(schema)) << "values have numbers";
}

TEST(ArrowReader, SaysWhatMakesNoSense) {
  const auto error = [](ArrowField more, auto value) {
    return test::thrown_text([&] { read(std::move(more), value); });
  };
  EXPECT_EQ(error({"packets", "g"}, 5.5), "flows: row 1: packets: too large, or no whole number");
  EXPECT_EQ(error({"packets", "g"}, 1e300), "flows: row 1: packets: too large, or no whole number");
  EXPECT_EQ(error({"packets", "L"}, std::int64_t{-1}), "flows: row 1: packets: too large, or no whole number");
  EXPECT_EQ(error({"packets", "l"}, std::int64_t{-1}), "flows: row 1: packets: '-1' is not possible here");
  EXPECT_EQ(error({"connection_ns", "tDs"}, INT64_MAX), "flows: row 1: connection_ns: too large, or no whole number");
  EXPECT_EQ(error({"packets", "w:16"}, std::int64_t{5}),
            "flows: the type of its column packets is none that Flow Records can have");
  EXPECT_EQ(error({"packets", "u"}, "five"), "flows: row 1: packets: 'five' is not a number");
  EXPECT_EQ(error({"start_us", "l"}, std::int64_t{5}),
            "flows: no Flow Records: column start_us stands there twice, once as start_ns");
}

TEST(ArrowReader, SaysWhatIsMissing) {
  const auto open = [](std::vector<ArrowField> fields) {
    ArrowArrayStream stream = test::ArrowBatches(std::move(fields)).stream();
    ArrowReader reader(stream, "sums");
  };
  EXPECT_EQ(test::thrown_text([&] {
              open({{"src_addr", "u"}, {"flows", "L"}});
            }),
            "sums: no Flow Records: there is no column dst_addr");
  EXPECT_THROW(open({}), CaptureError);
}

TEST(ArrowReader, SaysWhatTheStreamSays) {
  test::ArrowBatches batches = test::batches_of(flows(), {});
  batches.fail("no more paper");
  ArrowArrayStream stream = batches.stream();
  ArrowReader reader(stream, "flows");
  Biflow flow;
  for (std::size_t i = 0; i < flows().size(); ++i) ASSERT_TRUE(reader.next(flow));
  EXPECT_EQ(test::thrown_text([&] { reader.next(flow); }), "flows: no more paper");
  ArrowArrayStream taken{};
  EXPECT_EQ(test::thrown_text([&] { ArrowReader again(taken, "flows"); }), "flows: the stream was taken already");
}

}  // namespace
}  // namespace warpmeter
