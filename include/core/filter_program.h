// A capture filter as steps of the classic BPF machine, as libpcap compiles it: accumulator and index register of 32
// bits, 16 words of memory, jumps forward only. It matches a frame if it returns anything but 0; a load from behind the
// frame's end returns 0.
//
// Source: McCanne and Jacobson, "The BSD Packet Filter" (1993); the kernel's Documentation/networking/filter.rst.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace warpmeter {

struct FilterStep {
  std::uint16_t code;
  std::uint8_t if_true, if_false;  // steps to go forward
  std::uint32_t value;
};

using FilterProgram = std::vector<FilterStep>;

// The filter for frames of a link type, as a rule PacketFilter::program(). Empty: the kernel cannot be asked. Throws
// Error, saying why, if these cannot be filtered.
using FilterOfLink = std::function<FilterProgram(std::uint16_t link)>;

}  // namespace warpmeter
