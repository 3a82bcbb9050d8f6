#include "command/reassemble/stream_output.h"

#if WARPMETER_HAVE_NETTLE
#include <nettle/base64.h>
#include <nettle/sha2.h>
#endif

#include <array>
#include <string_view>

#include "record/text/value_text.h"

namespace warpmeter::inline command {
namespace {

void number(std::string& to, std::uint64_t value) {
  char text[kNumberText];
  to.append(text, write_number(text, static_cast<std::int64_t>(value)));
}

void signed_number(std::string& to, std::int64_t value) {
  char text[kNumberText];
  to.append(text, write_number(text, value));
}

void address(std::string& to, const std::uint8_t (&bytes)[16], std::uint8_t version) {
  char text[kAddressText];
  (to += '"').append(text, write_address(text, bytes, version)) += '"';
}

const char* truth(bool is) { return is ? "true" : "false"; }

#if WARPMETER_HAVE_NETTLE
void sha256(std::string& to, const SubBlock& sub) {
  static constexpr char kHex[] = "0123456789abcdef";
  sha256_ctx context;
  sha256_init(&context);
  for (const StreamPiece& piece : sub.pieces) sha256_update(&context, piece.size(), piece.data());
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&context, digest.size(), digest.data());
  to += '"';
  for (const std::uint8_t byte : digest) (to += kHex[byte >> 4]) += kHex[byte & 15];
  to += '"';
}

void base64(std::string& to, const SubBlock& sub) {
  base64_encode_ctx context;
  base64_encode_init(&context);
  to += '"';
  for (const StreamPiece& piece : sub.pieces) {
    const std::size_t before = to.size();
    to.resize(before + BASE64_ENCODE_LENGTH(piece.size()));
    to.resize(before + base64_encode_update(&context, to.data() + before, piece.size(), piece.data()));
  }
  char last[BASE64_ENCODE_FINAL_LENGTH];
  to.append(last, base64_encode_final(&context, last)) += '"';
}
#else
void sha256(std::string&, const SubBlock&) {}
void base64(std::string&, const SubBlock&) {}
#endif

void direction(std::string& to, const StreamDirection& way) {
  const char* separator = "{\"";
#define WARPMETER_ONE(name)                                     \
  number((to += separator) += #name "\": ", way.counters.name); \
  separator = ", \"";
  WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
  (to += ", \"syn\": ") += truth(way.syn);
  (to += ", \"fin\": ") += truth(way.fin);
  (to += ", \"finished\": ") += truth(way.finished);
  (to += ", \"complete\": ") += truth(way.complete);
  to += ", \"gaps\": [";
  for (const StreamGap& gap : way.gaps) {
    if (&gap != way.gaps.data()) to += ", ";
    number(to += '[', gap.offset);
    number(to += ", ", gap.length);
    to += ']';
  }
  to += "]}";
}

}  // namespace

std::string why_not_told(StreamPayload payload) {
#if WARPMETER_HAVE_NETTLE
  static_cast<void>(payload);
  return "";
#else
  if (payload == StreamPayload::none) return "";
  return "checksums are not built in: libnettle was not there (tools/setup build gets it); --payload none does without";
#endif
}

void connection_json(std::string& to, const TcpConnection& connection, const ConnectionReport& report) {
  const FlowKey& key = connection.key;
  address(to += "{\"client\": ", key.source, key.version);
  number(to += ", \"client_port\": ", port_number(key.source_port));
  address(to += ", \"server\": ", key.destination, key.version);
  number(to += ", \"server_port\": ", port_number(key.destination_port));
  number(to += ", \"opened_packet\": ", connection.opened_packet);
  signed_number(to += ", \"opened_ns\": ", connection.opened_ns);
  signed_number(to += ", \"last_ns\": ", report.last_ns);
  ((to += ", \"end\": \"") += word_of(report.end)) += '"';
  number(to += ", \"max_buffered\": ", report.max_buffered);
  direction(to += ",\n \"directions\": {\"client\": ", report.directions[0]);
  direction(to += ",\n  \"server\": ", report.directions[1]);
  to += "},\n \"blocks\": [";
}

void block_json(std::string& to, const StreamBlock& block, StreamPayload payload) {
  ((to += "{\"reason\": \"") += word_of(block.reason)) += "\", \"packet\": ";
  if (block.packet) number(to, block.packet);
  else to += "null";
  to += ", \"subblocks\": [";
  for (const SubBlock& sub : block.sub_blocks) {
    if (&sub != block.sub_blocks.data()) to += ",\n   ";
    to += sub.side == StreamSide::client ? "[\"client\", " : "[\"server\", ";
    number(to, sub.offset);
    number(to += ", ", sub.length);
    number(to += ", ", sub.gap);
    to += ", ";
    if (payload == StreamPayload::none) to += "null";
    else sha256(to, sub);
    if (payload == StreamPayload::base64) base64(to += ", ", sub);
    to += ']';
  }
  to += "]}";
}

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
