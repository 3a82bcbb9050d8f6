// The formats of captures that can be read, and what a reader takes of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace warpmeter::inline packet {

enum class InputFormat : std::uint8_t { automatic, pcap, pcapng, hpcap, erf };  // automatic: the content tells

class InterfaceList;
class LeftOut;

struct CaptureOptions {
  InputFormat format = InputFormat::automatic;  // anything else is an error
  bool resync = false;                          // goes on behind damage (resync.h)
  bool any_link = false;  // a file whose link types are all unknown is no error; its frames have kUnknownLink
  // Why frames of a link type are not to be read though they could be decoded; empty: they are. A file that has no
  // other frames is an error; of the others the line goes to `left_out`.
  std::function<std::string(std::uint16_t link)> refusal = {};
  std::shared_ptr<LeftOut> left_out = {};
  // Gets the interfaces of pcapng files, whose packets tell then where they are from, and where their options lie;
  // null: nobody wants to know.
  std::shared_ptr<InterfaceList> interfaces = {};
};

}  // namespace warpmeter::inline packet
