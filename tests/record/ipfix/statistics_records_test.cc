// Options Records of the processes' statistics: libfixbuf's collector reads what went in, and who reads flows passes
// over them.
#include "record/ipfix/template_messages.h"

#include <gtest/gtest.h>

#include <string>

#include "core/byte_order.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/ipfix_format.h"
#include "support/ipfix_reading.h"
#include "support/ipfix_records.h"
#include "support/random_flows.h"

namespace warpmeter {
namespace {

struct OctetSink : ByteSink {
  void write(const void* from, std::size_t count) override {
    const auto* first = static_cast<const std::uint8_t*>(from);
    octets.insert(octets.end(), first, first + count);
  }
  test::Bytes octets;
};

ProcessStatistics some_statistics() {
  ProcessStatistics s;
  s.now_ns = 1'700'000'000'000'000'000;
  s.process_id = 4711;
  s.exported_messages = 1;
  s.exported_records = 0x0123456789abcdef;
  s.exported_bytes = 3;
  s.not_sent_flows = 4;
  s.observed_flows = 5;
  s.ignored_packets = 6;
  s.ignored_bytes = 7;
  s.points = {{1, "eth0", 100, 8}, {2, std::string(300, 'x'), UINT64_MAX, 0}};
  return s;
}

void append_flows(MessageWriter& writer, const std::vector<Biflow>& flows) {
  const std::unique_ptr<RecordSection> section = writer.format().new_section();
  for (const Biflow& flow : flows) section->write(flow.forward, nullptr);
  writer.append(*section);
}

// Flows, statistics, flows.
test::Bytes stream_of(const std::vector<Biflow>& flows, bool asked, std::uint32_t& written) {
  OctetSink file;
  IpfixFileSink sink(file);
  const auto format = make_ipfix_format({}, {.observation_domain = 9, .statistics = asked});
  const auto writer = format->new_writer(sink);
  writer->begin();
  append_flows(*writer, flows);
  written = writer->write_statistics(some_statistics());
  append_flows(*writer, flows);
  writer->end();
  return file.octets;
}

struct CollectedStatistics {
  std::uint64_t messages, records, octets, observed, ignored, ignored_octets, not_sent, point, packets, dropped;
  std::uint32_t domain, process;
  fbVarfield_t interface;
};

fbInfoElementSpec_t kStatistics[] = {
    {const_cast<char*>("exportedMessageTotalCount"), 8, 0}, {const_cast<char*>("exportedFlowRecordTotalCount"), 8, 0},
    {const_cast<char*>("exportedOctetTotalCount"), 8, 0},   {const_cast<char*>("observedFlowTotalCount"), 8, 0},
    {const_cast<char*>("ignoredPacketTotalCount"), 8, 0},   {const_cast<char*>("ignoredOctetTotalCount"), 8, 0},
    {const_cast<char*>("notSentFlowTotalCount"), 8, 0},     {const_cast<char*>("observationPointId"), 8, 0},
    {const_cast<char*>("packetTotalCount"), 8, 0},          {const_cast<char*>("droppedPacketTotalCount"), 8, 0},
    {const_cast<char*>("observationDomainId"), 4, 0},       {const_cast<char*>("exportingProcessId"), 4, 0},
    {const_cast<char*>("interfaceName"), FB_IE_VARLEN, 0},  FB_IESPEC_NULL,
};

struct NamedStatistics : CollectedStatistics {
  std::string name;
};

// Those that have something: of flows they have nothing.
std::vector<NamedStatistics> collected_from(test::Bytes stream) {
  const InfoModel model;
  fbSession_t* session = fbSessionAlloc(model.get());
  FixbufError error;
  fbTemplate_t* wanted = fbTemplateAlloc(model.get());
  error.check(fbTemplateAppendSpecArray(wanted, kStatistics, UINT32_MAX, &error), "append");
  const std::uint16_t id = fbSessionAddTemplate(session, TRUE, 999, wanted, &error);
  fBuf_t* buffer = fBufAllocForCollection(session, nullptr);
  fBufSetAutomaticMode(buffer, FALSE);
  error.check(fBufSetInternalTemplate(buffer, id, &error), "set");
  std::vector<NamedStatistics> found;
  for (std::size_t at = 0; at < stream.size();) {
    const std::size_t length = load_be16(&stream[at + 2]);
    fBufSetBuffer(buffer, &stream[at], length);
    for (;;) {
      NamedStatistics record{};
      std::size_t size = sizeof(CollectedStatistics);
      FixbufError end;
      auto* const to = reinterpret_cast<std::uint8_t*>(static_cast<CollectedStatistics*>(&record));
      if (!fBufNext(buffer, to, &size, &end)) break;
      record.name.assign(reinterpret_cast<const char*>(record.interface.buf), record.interface.len);
      if (record.domain || record.process || record.point) found.push_back(record);
    }
    at += length;
  }
  fBufFree(buffer);
  return found;
}

TEST(StatisticsRecords, LibfixbufsCollectorReadsWhatWentIn) {
  std::uint32_t written = 0;
  const std::vector<NamedStatistics> found = collected_from(stream_of(test::random_biflows(50, 3), true, written));
  ASSERT_EQ(written, 5u);
  ASSERT_EQ(found.size(), written);
  EXPECT_EQ(found[0].domain, 9u);
  EXPECT_EQ(found[0].messages, 1u);
  EXPECT_EQ(found[0].records, 0x0123456789abcdefu);
  EXPECT_EQ(found[0].octets, 3u);
  EXPECT_EQ(found[0].observed, 5u);
  EXPECT_EQ(found[1].domain, 9u);
  EXPECT_EQ(found[1].ignored, 6u);
  EXPECT_EQ(found[1].ignored_octets, 7u);
  EXPECT_EQ(found[2].process, 4711u);
  EXPECT_EQ(found[2].not_sent, 4u);
  EXPECT_EQ(found[3].point, 1u);
  EXPECT_EQ(found[3].name, "eth0");
  EXPECT_EQ(found[3].packets, 100u);
  EXPECT_EQ(found[3].dropped, 8u);
  EXPECT_EQ(found[4].name, std::string(254, 'x'));
  EXPECT_EQ(found[4].packets, UINT64_MAX);
}

TEST(StatisticsRecords, WhoReadsFlowsPassesOverThem) {
  const std::vector<Biflow> flows = test::random_biflows(50, 3);
  std::uint32_t written = 0;
  const test::IpfixContent content = test::ipfix_content(stream_of(flows, true, written));
  EXPECT_EQ(content.damage_text(), "");
  EXPECT_EQ(content.flows.size(), 2 * flows.size());
  EXPECT_EQ(content.no_flows, 0u);
}

TEST(StatisticsRecords, NoneWhereNobodyAskedForThem) {
  std::uint32_t written = 1;
  EXPECT_TRUE(collected_from(stream_of(test::random_biflows(5, 3), false, written)).empty());
  EXPECT_EQ(written, 0u);
}

// They are Data Records, which Sequence Numbers count (RFC 7011, section 3.1).
TEST(StatisticsRecords, AreCountedInTheirMessages) {
  test::KeepingSink sink;
  const auto format = make_ipfix_format({}, {.statistics = true});
  const auto writer = format->new_writer(sink);
  writer->begin();
  EXPECT_EQ(writer->write_statistics(some_statistics()), 5u);
  writer->flush();
  EXPECT_EQ(sink.begun, 1);
  ASSERT_EQ(sink.data.size(), 1u);
  EXPECT_EQ(sink.data[0].records, 5u);
  EXPECT_EQ(sink.data[0].flow_records(), 0u);
  append_flows(*writer, test::random_biflows(3, 3));
  writer->flush();
  ASSERT_EQ(sink.data.size(), 2u);
  EXPECT_EQ(sink.data[1].flow_records(), 3u);
}

}  // namespace
}  // namespace warpmeter
