// NetFlow v9 as a format: sections hold Data Records, all but their times in the octets of a packet. Of a biflow, each
// direction is a record of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/record_format.h"
#include "record/collector/netflow_v9_record.h"

namespace warpmeter::inline record {

class NetflowV9Section : public RecordSection {
 public:
  explicit NetflowV9Section(const RecordLayout& layout) : layout_(layout) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    records_.push_back(append_netflow_v9_record(octets_, record, layout_));
    if (reverse) records_.push_back(append_netflow_v9_record(octets_, *reverse, layout_));
  }
  std::size_t bytes() const override { return records_.size() * sizeof(NetflowV9Record) + octets_.size(); }

  // Calls give(record, octets) for each, in their order, and is empty then.
  template <class Give>
  void take(Give give) {
    const std::uint8_t* octets = octets_.data();
    for (const NetflowV9Record& record : records_) {
      give(record, octets);
      octets += record.octets;
    }
    records_.clear();
    octets_.clear();
  }

 private:
  const RecordLayout layout_;
  std::vector<NetflowV9Record> records_;
  std::vector<std::uint8_t> octets_;  // of these, one behind the other
};

class NetflowV9Format : public RecordFormat {
 public:
  explicit NetflowV9Format(const RecordLayout& layout) : layout_(layout) {}
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<NetflowV9Section>(layout_); }

 private:
  const RecordLayout layout_;
};

}  // namespace warpmeter::inline record
