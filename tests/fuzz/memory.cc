// Packets, for the memory tables. Input: how (1 byte: packets in a batch, less memory than they may need), then 5 bytes
// a packet:
//
//   what      SYN, FIN, RST; not TCP; from the other end; two bits of the connection; 0x80: back in time
//   pause     before it: the lower 6 bits of its unit, which the upper 2 tell: ns, ms, s / 4, 4 s
//   place     its sequence number, 16 bits, little endian, from a number on behind which all wrap
//   length    of the payload, in units of 1 or, from 200 on, 2,000 bytes
//
// All tables must be those of the oracle, which has each cell simulated by itself; with less memory, where they say
// that they are exact.
#include "command/memory/memory_cells.h"

#include <cmath>
#include <cstdlib>

#include "fuzz/input_bytes.h"
#include "support/memory_oracle.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::size_t kMostPackets = 200;
constexpr std::uint64_t kMuch = std::uint64_t{1} << 30, kLittle = 60'000;
constexpr std::int64_t kPauses[] = {1, 1'000'000, test::kSecond / 4, 4 * test::kSecond};

test::TracePacket packet_of(InputBytes& in, std::int64_t& time) {
  const std::uint8_t what = in.u8(), pause = in.u8();
  test::TracePacket packet;
  const std::int64_t step = (pause & 63) * kPauses[pause >> 6];
  packet.time_ns = what & 0x80 ? time - step : (time += step);
  packet.flags = static_cast<std::uint8_t>((what & 1 ? kSyn : 0) | (what & 2 ? kFin : 0) | (what & 4 ? kRst : 0));
  packet.tcp = !(what & 8);
  packet.reply = what & 16;
  packet.connection = 1u + (what >> 5 & 3);
  packet.sequence = 0xffff'8000u + in.u16();
  const std::uint32_t length = in.u8();
  packet.payload = length < 200 ? length : 2000 * (length - 199);
  packet.length = 40 + packet.payload;
  return packet;
}

void must_be(const OverTime& got, const reference::Integrated& wanted, double seconds) {
  constexpr double kRounded = 1e-15;  // of a sum and two quotients
  must(got.peak == static_cast<std::uint64_t>(wanted.peak));
  const double mean = test::mean_of(wanted, seconds);
  must(std::abs(got.mean - mean) <= kRounded * mean);
}

// Of each timeout three of the block sizes, others for each: all of them are nine times as slow as everything else.
void compare(const MemoryTables& tables, const std::vector<test::TracePacket>& trace, std::size_t first_block) {
  const test::MemoryOracle oracle(trace);
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t block = (first_block + timeout + 3 * i) % kBlockSizes;
      const reference::MemoryCell cell = oracle.cell(timeout, block);
      must_be(tables.streams[timeout], cell.streams(), tables.seconds());
      must_be(tables.buffered[timeout][block], cell.buffered(), tables.seconds());
    }
  }
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  fuzz::InputBytes in(data, size);
  const std::uint8_t how = in.u8();
  std::vector<test::TracePacket> trace;
  std::uint64_t bytes = 0;
  for (std::int64_t time = 0; in.left() > 0 && trace.size() < fuzz::kMostPackets; bytes += trace.back().length) {
    trace.push_back(fuzz::packet_of(in, time));
  }
  const bool little = how & 0x80;
  const MemoryTables tables = test::tables_of(trace, 1 + how % 8, little ? fuzz::kLittle : fuzz::kMuch);
  fuzz::must(tables.packets == trace.size() && tables.ip_bytes == bytes);
  const bool is_exact = tables.joined_ranges + tables.forgotten + tables.ended_early == 0;
  fuzz::must(is_exact || little);
  if (is_exact && !trace.empty()) fuzz::compare(tables, trace, how >> 3 & 15);
  return 0;
}
