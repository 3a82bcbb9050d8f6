#include "command/coalesce/inline_metrics.h"

#include "base/metrics/metric_text.h"

namespace warpmeter::inline command {
namespace {

using Type = MetricText::Type;

void add_count(MetricText& text, const char* name, const char* help, std::uint64_t value) {
  text.family(name, Type::counter, help);
  text.sample(value);
}

void add_lost(MetricText& text, const char* name, const char* help, std::uint64_t ring_full, std::uint64_t too_long,
              const WriteCounts& written) {
  text.family(name, Type::counter, help);
  text.sample(ring_full, {{"place", "ring_full"}});
  text.sample(too_long, {{"place", "too_long"}});
  text.sample(written.full, {{"place", "output_full"}});
  text.sample(written.down, {{"place", "output_down"}});
  text.sample(written.refused, {{"place", "refused"}});
}

void add_joined(MetricText& text, const CoalesceSummary& now) {
  const CoalescerCounters& c = now.counters;
  add_count(text, "warpmeter_coalesce_joined_packets_total", "Packets that went into super-packets.", c.joined);
  add_count(text, "warpmeter_coalesce_super_packets_total", "Super-packets.", c.super_packets);
  add_count(text, "warpmeter_coalesce_dropped_repeats_total", "Repeated packets that were dropped (--drop-repeats).",
            c.dropped);
  text.family("warpmeter_coalesce_passed_packets_total", Type::counter, "Packets that passed as they were, by reason.");
  const auto passes = passes_of(now);
  for (std::size_t i = 0; i < kPassReasons; ++i) text.sample(passes[i], {{"reason", kPassReasonNames[i]}});
  text.family("warpmeter_coalesce_flushes_total", Type::counter, "Lists of waiting packets that left, by reason.");
  for (std::size_t i = 0; i < kFlushReasons; ++i) text.sample(c.flushes[i], {{"reason", kFlushReasonNames[i]}});
}

}  // namespace

std::string inline_metrics(const CoalesceSummary& now, double seconds) {
  MetricText text;
  const InlineCounts& c = *now.inline_counts;
  add_count(text, "warpmeter_coalesce_received_packets_total", "Packets that came in.", now.decode.frames);
  add_count(text, "warpmeter_coalesce_received_bytes_total", "Bytes of these.", now.bytes_read);
  add_count(text, "warpmeter_coalesce_written_packets_total", "Packets that went out, a super-packet as one.",
            c.out.frames);
  add_count(text, "warpmeter_coalesce_written_bytes_total", "Bytes of these.", c.out.bytes);
  add_lost(text, "warpmeter_coalesce_lost_packets_total", "Packets that came in and went no further, by place.",
           c.ring_full, c.too_long, c.out);
  add_joined(text, now);
  add_count(text, "warpmeter_coalesce_returned_packets_total", "Packets of the other direction.", c.returned.frames);
  add_count(text, "warpmeter_coalesce_returned_bytes_total", "Bytes of these.", c.returned.bytes);
  add_lost(text, "warpmeter_coalesce_return_lost_packets_total", "Packets of it that went no further, by place.",
           c.returned_ring_full, c.returned_too_long, c.returned);
  text.family("warpmeter_uptime_seconds", Type::gauge, "How long it has been running.");
  text.sample(seconds);
  return text.text();
}

}  // namespace warpmeter::inline command
