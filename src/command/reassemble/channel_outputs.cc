#include "command/reassemble/channel_outputs.h"

namespace warpmeter::inline command {

void StreamTotals::add(const StreamTotals& other) {
  connections += other.connections;
  complete += other.complete;
  blocks += other.blocks;
  gaps += other.gaps;
  counters.add(other.counters);
  for (std::size_t i = 0; i < kReasons; ++i) ends[i] += other.ends[i];
}

void ChannelOutputs::take_tags(TcpConnection& connection) {
  if (!free_.empty()) {
    connection.tag = free_.back();
    free_.pop_back();
    for (std::size_t i = 0; i < outputs_.size(); ++i) tags_[connection.tag - 1 + i] = 0;
  } else {
    connection.tag = tags_.size() + 1;
    tags_.resize(tags_.size() + outputs_.size());
  }
}

template <class Call>
void ChannelOutputs::for_each(TcpConnection& connection, const Call& call) {
  if (outputs_.size() == 1) return call(*outputs_.front());
  const std::uint64_t own = connection.tag;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    std::uint64_t& tag = tags_[own - 1 + i];
    connection.tag = tag;
    call(*outputs_[i]);
    tag = connection.tag;
  }
  connection.tag = own;
}

void ChannelOutputs::opened(TcpConnection& connection) {
  if (outputs_.size() > 1) take_tags(connection);
  for_each(connection, [&](StreamConsumer& output) { output.opened(connection); });
}

void ChannelOutputs::take(TcpConnection& connection, const StreamBlock& block) {
  ++totals_.blocks;
  for_each(connection, [&](StreamConsumer& output) { output.take(connection, block); });
}

void ChannelOutputs::ended(TcpConnection& connection, const ConnectionReport& report) {
  ++totals_.connections;
  ++totals_.ends[static_cast<std::size_t>(report.end)];
  bool complete = true;
  for (const StreamDirection& direction : report.directions) {
    totals_.counters.add(direction.counters);
    totals_.gaps += direction.gaps.size();
    complete = complete && direction.complete;
  }
  totals_.complete += complete;
  for_each(connection, [&](StreamConsumer& output) { output.ended(connection, report); });
  if (outputs_.size() > 1) free_.push_back(connection.tag);
}

}  // namespace warpmeter::inline command
