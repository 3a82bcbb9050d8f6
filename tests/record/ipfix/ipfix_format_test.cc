// From Flow Records to what a collector makes of the messages: libfixbuf's collector reads them.
#include "record/ipfix/ipfix_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "core/byte_order.h"
#include "record/ipfix/info_model.h"
#include "support/ipfix_records.h"
#include "support/writers.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

struct Text : ByteSink {
  void write(const void* from, std::size_t count) override {
    const auto* first = static_cast<const std::uint8_t*>(from);
    bytes.insert(bytes.end(), first, first + count);
  }
  std::vector<std::uint8_t> bytes;
};

std::vector<std::uint8_t> file_of(const std::vector<Biflow>& flows, const RecordLayout& layout,
                                  IpfixProfile profile = IpfixProfile::everything) {
  Text file;
  IpfixFileSink sink(file);
  const auto format = make_ipfix_format(layout, {.profile = profile});
  test::write_all(*format->new_writer(sink), flows);
  return file.bytes;
}

// The same, but in sections of 1 to 40 records, of which two are open at a time.
std::vector<std::uint8_t> file_in_sections(const std::vector<Biflow>& flows, const RecordLayout& layout) {
  Text file;
  IpfixFileSink sink(file);
  const auto format = make_ipfix_format(layout, {});
  const auto writer = format->new_writer(sink);
  writer->begin();
  const std::unique_ptr<RecordSection> sections[] = {format->new_section(), format->new_section()};
  std::size_t next = 0;
  const auto fill = [&](RecordSection& section, std::size_t count) {
    for (; count > 0 && next < flows.size(); --count, ++next) {
      section.write(flows[next].forward, flows[next].has_reverse ? &flows[next].reverse : nullptr);
    }
  };
  for (std::size_t size = 1; next < flows.size(); size = size % 40 + 1) {
    for (const auto& section : sections) fill(*section, size);
    for (const auto& section : sections) {
      EXPECT_GT(section->bytes() + (next == flows.size()), 0u);
      writer->append(*section);
      EXPECT_EQ(section->bytes(), 0u);
    }
  }
  writer->end();
  return file.bytes;
}

// Some fields of either direction, as a program with libfixbuf reads them; 0 what is not there.
struct Collected {
  std::uint64_t packets, octets, retransmitted, connection, start_ms, reverse_packets, reverse_missing;
};

fbInfoElementSpec_t kCollected[] = {
    {const_cast<char*>("packetDeltaCount"), 8, 0},
    {const_cast<char*>("octetDeltaCount"), 8, 0},
    {const_cast<char*>("tcpRetransmittedSegmentCount"), 8, 0},
    {const_cast<char*>("tcpConnectionOctetCount"), 8, 0},
    {const_cast<char*>("flowStartMilliseconds"), 8, 0},
    {const_cast<char*>("reversePacketDeltaCount"), 8, 0},
    {const_cast<char*>("reverseTcpMissingOctetCount"), 8, 0},
    FB_IESPEC_NULL,
};

// Type information is left out: it has no packets and no times.
std::vector<Collected> collect(std::vector<std::uint8_t> file) {
  const InfoModel model;
  fbSession_t* session = fbSessionAlloc(model.get());
  FixbufError error;
  fbTemplate_t* wanted = fbTemplateAlloc(model.get());
  error.check(fbTemplateAppendSpecArray(wanted, kCollected, UINT32_MAX, &error), "append");
  const std::uint16_t id = fbSessionAddTemplate(session, TRUE, 999, wanted, &error);
  fBuf_t* buffer = fBufAllocForCollection(session, nullptr);
  fBufSetAutomaticMode(buffer, FALSE);
  error.check(fBufSetInternalTemplate(buffer, id, &error), "set");
  std::vector<Collected> found;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t length = load_be16(&file[at + 2]);
    fBufSetBuffer(buffer, &file[at], length);
    for (;;) {
      Collected record{};
      std::size_t size = sizeof record;
      FixbufError end;
      if (!fBufNext(buffer, reinterpret_cast<std::uint8_t*>(&record), &size, &end)) {
        EXPECT_TRUE(g_error_matches(end.get(), FB_ERROR_DOMAIN, FB_ERROR_EOM) ||
                    g_error_matches(end.get(), FB_ERROR_DOMAIN, FB_ERROR_BUFSZ))
            << end.get()->message;
        break;
      }
      if (record.start_ms) found.push_back(record);
    }
    at += length;
  }
  fBufFree(buffer);
  return found;
}

TEST(IpfixFormat, LibfixbufsCollectorReadsWhatWentIn) {
  const std::vector<Biflow> flows = test::random_biflows(5000, 21);
  const std::vector<Collected> found = collect(file_of(flows, {.biflow = true}));
  ASSERT_EQ(found.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowRecord& forward = flows[i].forward;
    const FlowRecord& reverse = flows[i].reverse;
    EXPECT_EQ(found[i].packets, forward.packets);
    EXPECT_EQ(found[i].octets, forward.bytes);
    EXPECT_EQ(found[i].retransmitted, forward.retransmitted_segments);
    EXPECT_EQ(found[i].connection, static_cast<std::uint64_t>(forward.connection_bytes));
    EXPECT_EQ(found[i].start_ms, static_cast<std::uint64_t>(forward.start_ns) / 1'000'000);
    EXPECT_EQ(found[i].reverse_packets, flows[i].has_reverse ? reverse.packets : 0);
    EXPECT_EQ(found[i].reverse_missing, flows[i].has_reverse ? reverse.missing_bytes : 0);
  }
}

TEST(IpfixFormat, RecordsThatLackColumnsGetATemplateInTime) {
  std::vector<Biflow> flows = test::random_biflows(300, 4);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].forward.absent = static_cast<std::uint32_t>(i % 7) << column_number("retransmitted_segments");
  }
  const std::vector<Collected> found = collect(file_of(flows, {}));
  ASSERT_EQ(found.size(), flows.size());
  std::size_t known = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const bool absent = i % 7 & 1;
    EXPECT_EQ(found[i].retransmitted, absent ? 0 : flows[i].forward.retransmitted_segments);
    EXPECT_EQ(found[i].packets, flows[i].forward.packets);
    known += found[i].retransmitted != 0;
  }
  EXPECT_GT(known, 50u);
}

// Some lack columns: their Templates come in their time, sections or not.
TEST(IpfixFormat, SectionsMakeTheSameFile) {
  for (const bool biflow : {false, true}) {
    std::vector<Biflow> flows = test::random_biflows(3000, 5);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (i % 50 < 3) flows[i].forward.absent = static_cast<std::uint32_t>(i % 3) << column_number("missing_bytes");
      if (i % 70 == 0) flows[i].reverse.absent = 1;
    }
    const RecordLayout layout{.biflow = biflow};
    EXPECT_TRUE(file_in_sections(flows, layout) == file_of(flows, layout));
  }
  EXPECT_TRUE(file_in_sections({}, {}) == file_of({}, {}));
}

TEST(IpfixFormat, TellsTheSinkOfLateTemplatesOnceEach) {
  test::KeepingSink sink;
  const auto format = make_ipfix_format({}, {});
  const auto writer = format->new_writer(sink);
  RecordStream stream(*writer);
  const auto append = [&](const FlowRecord& one) {
    stream.write(one, nullptr);
    stream.flush();
  };
  writer->begin();
  std::mt19937_64 random(1);
  FlowRecord record = test::random_record(random, kProtocolUdp, 4, 8);
  append(record);
  EXPECT_TRUE(sink.added.empty());
  for (int i = 0; i < 3; ++i) {
    record.absent = std::uint32_t{1} << column_number("duplicate_packets");
    append(record);
    record.absent = std::uint32_t{1} << column_number("bytes");
    append(record);
  }
  writer->end();
  EXPECT_EQ(sink.begun, 1);
  EXPECT_EQ(sink.ended, 1);
  for (const std::size_t before : sink.added_before) EXPECT_EQ(before, 0u);
  ASSERT_EQ(sink.added.size(), 2u);
  for (const IpfixMessage& message : sink.added) {
    EXPECT_EQ(message.records, 0u);
    EXPECT_EQ(load_be16(&message.bytes[16]), 2);  // a Template Set
  }
  ASSERT_EQ(sink.data.size(), 1u);
  EXPECT_EQ(sink.data[0].records, 7u);
}

TEST(IpfixFormat, WithoutRecordsThereAreTemplates) {
  test::KeepingSink sink;
  const auto format = make_ipfix_format({}, {});
  test::write_all(*format->new_writer(sink), std::vector<Biflow>{});
  EXPECT_EQ(sink.begun, 1);
  EXPECT_EQ(sink.ended, 1);
  EXPECT_FALSE(sink.templates.empty());
  EXPECT_TRUE(sink.data.empty());
}

TEST(IpfixFormat, TemplatesFitIntoDatagrams) {
  for (const std::size_t largest : {std::size_t{576}, std::size_t{1400}}) {
    test::KeepingSink sink(largest);
    const auto format = make_ipfix_format({.vlan = true, .biflow = true}, {});
    test::write_all(*format->new_writer(sink), test::random_biflows(100, 8));
    for (const auto* messages : {&sink.templates, &sink.data}) {
      for (const IpfixMessage& message : *messages) {
        EXPECT_LE(message.bytes.size(), largest);
        EXPECT_EQ(load_be16(&message.bytes[2]), message.bytes.size());
      }
    }
  }
}

TEST(IpfixFormat, PlainFilesHaveNoTypeInformation) {
  test::KeepingSink plain, everything;
  for (const auto& [sink, profile] :
       {std::pair{&plain, IpfixProfile::plain}, {&everything, IpfixProfile::everything}}) {
    const auto format = make_ipfix_format({}, {.profile = profile});
    test::write_all(*format->new_writer(*sink), std::vector<Biflow>{});
  }
  std::uint32_t in_plain = 0, in_everything = 0;
  for (const IpfixMessage& message : plain.templates) in_plain += message.records;
  for (const IpfixMessage& message : everything.templates) in_everything += message.records;
  EXPECT_EQ(in_plain, 0u);
  EXPECT_EQ(in_everything, 13u);  // our own elements
}

TEST(IpfixFileSink, SequenceNumbersCountTheFilesDataRecords) {
  const std::vector<std::uint8_t> file = file_of(test::random_biflows(3000, 2), {});
  std::uint32_t records = 0;
  std::set<std::uint32_t> numbers;
  for (std::size_t at = 0; at < file.size(); at += load_be16(&file[at + 2])) {
    EXPECT_EQ(load_be16(&file[at]), 10);
    const std::uint32_t number = load_be32(&file[at + 8]);
    EXPECT_GE(number, records);
    numbers.insert(records = number);
  }
  EXPECT_GT(numbers.size(), 3u);
  EXPECT_TRUE(numbers.count(0));
  EXPECT_TRUE(numbers.count(13));  // behind the type information
  EXPECT_LT(records, 3013u);
}

}  // namespace
}  // namespace warpmeter
