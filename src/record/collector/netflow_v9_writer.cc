#include "record/collector/netflow_v9_writer.h"

#include <ctime>

namespace warpmeter::inline record {

NetflowV9Writer::NetflowV9Writer(const CollectorOptions& options, const RecordLayout& layout)
    : layout_(layout),
      format_(layout),
      sender_(options, resolve(options.address)),
      refresh_(options.template_refresh, options.template_refresh_messages),
      packet_(sender_.largest()) {}

void NetflowV9Writer::begin() {
  send_templates();
  while (sender_.moved_on()) {
    sequence_ = 0;
    template_messages_ = 0;
    send_templates();
  }
}

void NetflowV9Writer::append(RecordSection& section) {
  static_cast<NetflowV9Section&>(section).take(
      [this](const NetflowV9Record& record, const std::uint8_t* octets) { add(record, octets); });
}

void NetflowV9Writer::add(const NetflowV9Record& record, const std::uint8_t* octets) {
  ++records_;
  if (packet_.add(record, octets)) return;
  send_packet();
  packet_.add(record, octets);
}

void NetflowV9Writer::flush() {
  if (!packet_.empty()) send_packet();
}

void NetflowV9Writer::tell_sample(std::uint32_t one_in) {
  flush();
  layout_.sample_one_in = one_in;
  send_templates();
}

void NetflowV9Writer::end() {
  flush();
  sender_.settle();
}

void NetflowV9Writer::send_packet() {
  if (refresh_.due()) send_templates();
  const std::uint16_t records = packet_.records();
  if (!sender_.send(packet_.finish(sequence_++), records, records)) lost_records_ += records;
  refresh_.message_sent();
  known_.set({counters(), 0, true});
}

void NetflowV9Writer::send_templates() {
  const auto now = static_cast<std::uint32_t>(std::time(nullptr));
  if (sender_.send(netflow_v9_templates(layout_, sequence_++, now), 0, 0)) ++template_messages_;
  refresh_.templates_sent();
}

ExportCounters NetflowV9Writer::counters() const {
  ExportCounters counters = sender_.counters();
  counters.records = records_;
  counters.lost_records = lost_records_;
  counters.template_messages = template_messages_;
  return counters;
}

ExportReport NetflowV9Writer::report() const { return {counters(), sender_.problem()}; }

}  // namespace warpmeter::inline record
