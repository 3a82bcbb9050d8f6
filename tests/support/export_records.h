// Flow Records as the writers' tests print them.
#pragma once

#include <arpa/inet.h>

#include <cstdint>
#include <string>
#include <vector>

#include "record/text/file_format.h"
#include "support/scratch_folder.h"
#include "support/writers.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::test {

inline FlowKey key_of(const char* source, const char* destination, int source_port, int destination_port,
                      std::uint8_t protocol) {
  FlowKey key;
  const int family = std::string(source).find(':') == std::string::npos ? AF_INET : AF_INET6;
  key.version = family == AF_INET ? 4 : 6;
  inet_pton(family, source, key.source);
  inet_pton(family, destination, key.destination);
  key.source_port[0] = static_cast<std::uint8_t>(source_port >> 8);
  key.source_port[1] = static_cast<std::uint8_t>(source_port);
  key.destination_port[0] = static_cast<std::uint8_t>(destination_port >> 8);
  key.destination_port[1] = static_cast<std::uint8_t>(destination_port);
  key.protocol = protocol;
  return key;
}

// Its counters are 1, 2, ... 16, in the order of the columns.
inline FlowRecord counted_record(const FlowKey& key) {
  FlowRecord record;
  record.key = key;
  record.start_ns = 1'700'000'000'123'456'789;
  record.end_ns = 1'700'000'001'623'456'789;
  std::uint64_t value = 1;
  for (std::uint64_t* counter = &record.packets; counter <= &record.stray_segments; ++counter) *counter = value++;
  record.connection_bytes = 16;
  record.connection_ns = 17;
  record.flags = kHasConnection;
  record.tcp_flags = 0x1b;
  record.end_reason = EndReason::end_of_flow;
  return record;
}

// The text of a file; `Flow` as of write_all().
template <class Flow>
std::string written_text(Format format, const std::vector<Flow>& flows, const RecordLayout& layout = {}) {
  const ScratchFolder folder;
  OutputFile output(folder.file("out"));
  const std::unique_ptr<FileFormat> text = make_text_format(format, layout);
  write_all(*text->new_file(output), flows);
  output.commit();
  return file_text(folder.file("out"));
}

inline std::string written_text(Format format, const std::vector<FlowRecord>& records,
                                const RecordLayout& layout = {}) {
  return written_text<FlowRecord>(format, records, layout);
}

inline std::string written_biflow(Format format, const FlowRecord& record, const FlowRecord* reverse,
                                  const RecordLayout& layout) {
  const Biflow flow{record, reverse ? *reverse : FlowRecord(), reverse != nullptr};
  return written_text<Biflow>(format, {flow}, layout);
}

}  // namespace warpmeter::test
