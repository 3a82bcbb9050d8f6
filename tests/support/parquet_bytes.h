// Parquet files in memory and on disk: Flow Records of all kinds, written and read back.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/files/named_pipe.h"
#include "core/byte_sink.h"
#include "record/parquet/module/record_file_reader.h"
#include "record/parquet/module/record_file_writer.h"
#include "support/scratch_folder.h"
#include "warpmeter/columns.h"

namespace warpmeter::test {

struct StringSink : ByteSink {
  std::string text;
  void write(const void* bytes, std::size_t count) override { text.append(static_cast<const char*>(bytes), count); }
};

inline std::string parquet_of(const std::vector<Biflow>& flows, const RecordLayout& layout) {
  StringSink sink;
  RecordFileWriter writer(sink, layout);
  writer.begin();
  for (const Biflow& flow : flows) writer.write(flow.forward, flow.has_reverse ? &flow.reverse : nullptr);
  writer.end();
  return std::move(sink.text);
}

struct ReadBack {
  std::vector<Biflow> flows;
  RecordLayout layout;
  std::optional<ReadDamage> damage;
};

inline ReadBack read_back(const std::string& path) {
  RecordFileReader reader(path, open_to_read(path));
  ReadBack all;
  for (Biflow flow; reader.next(flow);) all.flows.push_back(flow);
  all.layout = reader.layout();
  all.damage = reader.damage();
  return all;
}

// As it is not in a sorted output: any protocol and address, any number, any column unknown.
inline FlowRecord random_record(std::mt19937_64& random, bool vlan) {
  FlowRecord record;
  record.key.version = random() % 3 ? 4 : 6;
  for (int i = 0; i < (record.key.version == 4 ? 4 : 16); ++i) {
    record.key.source[i] = static_cast<std::uint8_t>(random() % 4 ? 0 : random());
    record.key.destination[i] = static_cast<std::uint8_t>(random());
  }
  for (auto* port : {&record.key.source_port, &record.key.destination_port}) {
    for (std::uint8_t& byte : *port) byte = static_cast<std::uint8_t>(random());
  }
  record.key.protocol = random() % 2 ? kProtocolTcp : static_cast<std::uint8_t>(random());
  if (vlan) record.key.vlan[1] = static_cast<std::uint8_t>(random());
  record.start_ns = static_cast<std::int64_t>(random());
  record.end_ns = random() % 8 ? record.start_ns / 2 : INT64_MIN;
  for (std::uint64_t* counter = &record.packets; counter <= &record.stray_segments; ++counter) {
    *counter = random() % 2 ? random() % 3 : random() >> 1;  // int64 in all outputs
  }
  record.tcp_flags = static_cast<std::uint8_t>(random());
  record.end_reason = static_cast<EndReason>(1 + random() % 5);
  if (random() % 2) {
    record.flags = kHasConnection;
    record.connection_bytes = static_cast<std::int64_t>(random() >> 1);
    record.connection_ns = static_cast<std::int64_t>(random() >> 30);
  }
  if (random() % 4 == 0) record.absent = static_cast<std::uint32_t>(random()) & ((1u << kColumns.size()) - 1);
  return record;
}

// What every format shows of a record, in words, to compare and to print.
inline std::string shown(const FlowRecord& record, const RecordLayout& layout) {
  std::string text(reinterpret_cast<const char*>(&record.key), sizeof record.key);
  text += std::to_string(record.start_ns) + ' ' + std::to_string(record.end_ns);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto value = column_value(i, record, layout.absent | record.absent);
    text += ',';
    text += value ? std::to_string(*value) : "-";
  }
  return text;
}

}  // namespace warpmeter::test
