// Two ends that talk to a Reassembler, segment by segment, and what comes of it as lines of text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/stream_segments.h"

namespace warpmeter::test {

inline constexpr std::int64_t kTalkSecond = 1'000'000'000;

class StreamTalk : public StreamConsumer {
 public:
  explicit StreamTalk(const ReassemblerOptions& options = {}) : reassembler_(options, *this) {}

  // The next segment, of port 1 or of port 2. Of its text the last `cut` bytes are not captured.
  StreamTalk& one(std::uint8_t flags, std::uint32_t sequence, std::string_view text = {}, std::uint32_t cut = 0) {
    return say(1, 2, flags, sequence, text, cut);
  }
  StreamTalk& two(std::uint8_t flags, std::uint32_t sequence, std::string_view text = {}, std::uint32_t cut = 0) {
    return say(2, 1, flags, sequence, text, cut);
  }
  // What port `from` says to port 2.
  StreamTalk& other(std::uint16_t from, std::uint8_t flags, std::uint32_t sequence, std::string_view text = {}) {
    return say(from, 2, flags, sequence, text, 0);
  }
  // From an end to itself.
  StreamTalk& alone(std::uint8_t flags, std::uint32_t sequence, std::string_view text = {}) {
    return say(1, 1, flags, sequence, text, 0);
  }

  // What the next segments acknowledge, instead of what the other has said; and their time.
  StreamTalk& acknowledging(std::uint32_t number) {
    acknowledged_ = number;
    return *this;
  }
  StreamTalk& at(std::int64_t time_ns) {
    now_ = time_ns;
    return *this;
  }

  // What has come since it was asked last, a line each:
  //   opened 1>2                    by port: client, server
  //   size 4: c0 "abc", s10+7 "d"   reason, packet; side, offset, gap before; long bytes are told by their number
  //   ended fin
  std::string log() { return std::exchange(log_, {}); }

  // Time passes without a segment, while so many slots are looked at. True: all have been.
  bool pass(std::int64_t now_ns, std::size_t looks) { return reassembler_.end_idle(now_ns, looks); }

  // With the end of all.
  std::string end_log(std::int64_t latest_ns) {
    reassembler_.end_all(latest_ns);
    return log();
  }
  // Packets are numbered from 1 again: as of another trace.
  StreamTalk& restart() {
    number_ = 0;
    return *this;
  }

  // With spans: the frames of all so far are about to go.
  StreamTalk& detach() {
    reassembler_.detach_from_frames(number_);
    for (std::string& text : frames_) std::ranges::fill(text, '#');
    frames_.clear();
    return *this;
  }
  std::string end_log() { return end_log(reassembler_.latest_ns()); }

  // Of the connection that ended last.
  const StreamDirection& client() const { return report_.directions[0]; }
  const StreamDirection& server() const { return report_.directions[1]; }
  const std::vector<StreamGap>& gaps(int side) const { return gaps_[side]; }
  const ConnectionReport& report() const { return report_; }
  const std::string& last_bytes() const { return last_bytes_; }  // of the sub-block that came last
  ReassemblyCounters counters() const { return reassembler_.counters(); }

 private:
  StreamTalk& say(std::uint16_t source, std::uint16_t destination, std::uint8_t flags, std::uint32_t sequence,
                  std::string_view text, std::uint32_t cut) {
    const auto length = static_cast<std::uint32_t>(text.size());
    const std::uint32_t acknowledged = acknowledged_.value_or(said_[destination]);
    said_[source] = sequence + length + ((flags & kSyn) != 0) + ((flags & kFin) != 0);
    const std::string& frame = frames_.emplace_back(text);
    const std::span captured(reinterpret_cast<const std::uint8_t*>(frame.data()), length - cut);
    const PayloadSegment s = stream_segment(source, destination, flags, sequence, acknowledged, length, captured, now_);
    reassembler_.take(s, ++number_, reassembler_.prefetch_connection(s.hash));
    return *this;
  }

  static const char* word(StreamReason reason) {
    constexpr const char* kWords[] = {"none", "size", "fin", "rst", "timeout", "reuse", "end", "memory"};
    return kWords[static_cast<int>(reason)];
  }

  void opened(TcpConnection& connection) override {
    log_ += "opened " + std::to_string(port_number(connection.key.source_port)) + '>' +
            std::to_string(port_number(connection.key.destination_port)) + '\n';
  }
  void take(TcpConnection&, const StreamBlock& block) override {
    log_ += word(block.reason) + (block.packet ? ' ' + std::to_string(block.packet) : std::string());
    const char* between = ": ";
    for (const SubBlock& s : block.sub_blocks) {
      log_ += std::exchange(between, ", ") + std::string(s.side == StreamSide::client ? "c" : "s");
      log_ += std::to_string(s.offset) + (s.gap ? '+' + std::to_string(s.gap) : std::string()) + ' ';
      std::string text;
      for (const StreamPiece& piece : s.pieces) text.append(piece.begin(), piece.end());
      last_bytes_ = text;
      log_ += text.size() > 40 ? std::to_string(text.size()) : '"' + text + '"';
    }
    log_ += '\n';
  }
  void ended(TcpConnection&, const ConnectionReport& report) override {
    log_ += std::string("ended ") + word(report.end) + '\n';
    report_ = report;
    for (int i = 0; i < 2; ++i) gaps_[i].assign(report.directions[i].gaps.begin(), report.directions[i].gaps.end());
  }

  Reassembler reassembler_;
  std::deque<std::string> frames_;
  std::string log_, last_bytes_;
  ConnectionReport report_;
  std::vector<StreamGap> gaps_[2];
  std::int64_t now_ = 0;
  std::uint64_t number_ = 0;
  std::uint32_t said_[8] = {};  // by port
  std::optional<std::uint32_t> acknowledged_;
};

}  // namespace warpmeter::test
