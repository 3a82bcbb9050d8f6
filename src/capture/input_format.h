// The formats of captures that can be read, and what a reader takes of them.
#pragma once

#include <cstdint>

namespace warpmeter {

enum class InputFormat : std::uint8_t { automatic, pcap, pcapng, hpcap, erf };  // automatic: the content tells

struct CaptureOptions {
  InputFormat format = InputFormat::automatic;  // anything else is an error
  bool any_link = false;  // a file whose link types are all unknown is no error; its frames have kUnknownLink
};

}  // namespace warpmeter
