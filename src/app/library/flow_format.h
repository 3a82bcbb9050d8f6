// Flow Records as they are, for programs that take them: a format whose sections are vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/record_format.h"
#include "core/record_layout.h"
#include "warpmeter/biflow.h"

namespace warpmeter {

class FlowSection : public RecordSection {
 public:
  explicit FlowSection(std::uint32_t absent) : absent_(absent) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    Biflow& flow = flows.emplace_back();
    flow.forward = record;
    flow.forward.absent |= absent_;
    if (!reverse) return;
    flow.has_reverse = true;
    flow.reverse = *reverse;
    flow.reverse.absent |= absent_;
  }
  std::size_t bytes() const override { return flows.size() * sizeof(Biflow); }

  std::vector<Biflow> flows;

 private:
  const std::uint32_t absent_;
};

class FlowFormat : public RecordFormat {
 public:
  explicit FlowFormat(const RecordLayout& layout) : absent_(layout.absent) {}
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<FlowSection>(absent_); }

 private:
  const std::uint32_t absent_;
};

}  // namespace warpmeter
