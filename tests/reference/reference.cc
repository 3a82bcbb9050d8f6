// Capture, decode, meter, print: the whole program in one loop.
#include "reference.h"

#include "aggregate_flows.h"
#include "csv.h"
#include "meter.h"
#include "packet.h"

namespace reference {
namespace {

class Trace {
 public:
  explicit Trace(const Options& options) : options_(options), meter_(options) {}

  void add(std::span<const uint8_t> file) {
    const Capture capture = read_capture(file);
    for (const Frame& frame : capture.frames) add(frame);
    if (capture.damage) result_.damage.push_back(*capture.damage);
  }

  Extraction finish() {
    std::vector<Flow> flows = meter_.finish();
    result_.summary.flows = static_cast<int64_t>(flows.size());
    if (options_.aggregate) flows = aggregate(flows);
    result_.csv = csv(flows, options_);
    return result_;
  }

 private:
  void add(const Frame& frame) {
    Summary& summary = result_.summary;
    summary.frames += 1;
    for (const auto& [packet, ignored] : decode(frame, options_)) {
      if (ignored) {
        summary.ignored[*ignored] += 1;
        continue;
      }
      summary.metered += 1;
      summary.short_transport_headers += packet.transport == Transport::too_short;
      summary.malformed_segments += packet.transport == Transport::malformed;
      meter_.take(packet, summary.frames, frame.time);
    }
  }

  const Options options_;
  Meter meter_;
  Extraction result_;
};

}  // namespace

Extraction extract(std::span<const std::vector<uint8_t>> captures, const Options& options) {
  Trace trace(options);
  for (const auto& capture : captures) trace.add(capture);
  return trace.finish();
}

std::string flow_csv(std::span<const uint8_t> capture, const Options& options) {
  Trace trace(options);
  trace.add(capture);
  return trace.finish().csv;
}

}  // namespace reference
