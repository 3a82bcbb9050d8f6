#include "command/reassemble/json_streams.h"

#include "command/reassemble/spooled_order.h"
#include "command/reassemble/stream_json.h"

namespace warpmeter::inline command {

// Blocks go to the spool as they come; what the connection begins with is only known at its end, and is the last
// fragment.
class JsonStreams::Channel final : public StreamConsumer {
 public:
  Channel(StreamSpool& spool, StreamPayload payload) : spool_(spool), payload_(payload) {}

  void take(TcpConnection& connection, const StreamBlock& block) override {
    text_ = connection.tag ? ",\n  " : "\n  ";
    block_json(text_, block, payload_);
    spool_.begin(connection.tag, text_.size());
    spool_.write(text_.data(), text_.size());
  }

  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    text_.clear();
    connection_json(text_, connection, report);
    spool_.begin_apart(connection.tag, text_.size());
    spool_.write(text_.data(), text_.size());
    spool_.end(place_in_order(connection), connection.tag);
  }

 private:
  StreamSpool& spool_;
  const StreamPayload payload_;
  std::string text_;
};

JsonStreams::JsonStreams(const std::string& name, const JsonStreamsOptions& options,
                         const std::atomic<bool>& interrupted)
    : OneFileOutput(name, options.threads, interrupted) {
  for (unsigned i = 0; i < options.channels; ++i) {
    spools_.push_back(std::make_unique<StreamSpool>(options.tmpdir));
    channels_.push_back(std::make_unique<Channel>(*spools_.back(), options.payload));
  }
}

JsonStreams::~JsonStreams() = default;

StreamConsumer& JsonStreams::channel(unsigned number) { return *channels_[number]; }

void JsonStreams::finish(std::uint64_t stray_segments) {
  for (const auto& spool : spools_) spool->finish();
  file_.write("{\"connections\": [");
  SpooledOrder order(spools_);
  const char* separator = "\n";
  for (SpooledOrder::Next next; order.next(next); separator = ",\n") {
    file_.write(separator);
    const std::uint64_t blocks = next.spool->give_last(next.chain, file_);
    next.spool->give(blocks, file_);
    file_.write("]}");
  }
  file_.write("\n],\n\"stray_segments\": " + std::to_string(stray_segments) + "}\n");
  file_.finish();
}

}  // namespace warpmeter::inline command
