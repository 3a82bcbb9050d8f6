#include "analysis/page/counts.h"

#include "warpmeter/columns.h"

namespace warpmeter::inline analysis {
namespace {

// No constexpr: for UndefinedBehaviorSanitizer, comparing addresses of functions is no constant expression.
template <auto kMember>
const std::size_t kColumnOf = [] {
  std::size_t i = 0;
  while (kColumns[i].value != &columns_detail::any<kMember> && kColumns[i].value != &columns_detail::of_tcp<kMember>)
    ++i;
  return i;
}();

template <auto kMember>
bool is_known(const FlowRecord& record) {
  const std::size_t column = kColumnOf<kMember>;
  return !(kColumns[column].tcp_only && record.key.protocol != kProtocolTcp) && !(record.absent >> column & 1);
}

template <auto kMember>
std::uint64_t known(const FlowRecord& record) {
  return is_known<kMember>(record) ? record.*kMember : 0;
}

}  // namespace

Counts counts_of(const FlowRecord& record) {
  Counts c;
  c.flows = 1;
  c.packets = known<&FlowRecord::packets>(record);
  c.bytes = known<&FlowRecord::bytes>(record);
  c.payload_bytes = known<&FlowRecord::payload_bytes>(record);
  c.data_segments = known<&FlowRecord::data_segments>(record);
  c.retransmitted_segments = known<&FlowRecord::retransmitted_segments>(record);
  c.duplicate_packets = known<&FlowRecord::duplicate_packets>(record);
  c.missing_bytes = known<&FlowRecord::missing_bytes>(record);
  c.zero_windows = known<&FlowRecord::zero_window_count>(record);
  c.stray_segments = known<&FlowRecord::stray_segments>(record);
  c.flows_with_data = c.data_segments > 0 || c.missing_bytes > 0;
  c.flows_with_gaps = c.missing_bytes > 0;
  return c;
}

HostCounts host_counts_of(const FlowRecord& record, const Counts& counts) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  HostCounts c{counts, {}, {}};
  if (is_known<&FlowRecord::data_segments>(record) && is_known<&FlowRecord::retransmitted_segments>(record)) {
    c.retransmissions.add_flow(number(counts.data_segments), number(counts.retransmitted_segments));
  }
  if (is_known<&FlowRecord::packets>(record) && is_known<&FlowRecord::zero_window_count>(record)) {
    c.closed_windows.add_flow(number(counts.packets), number(counts.zero_windows));
  }
  return c;
}

}  // namespace warpmeter::inline analysis
