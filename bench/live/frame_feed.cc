#include "live/frame_feed.h"

#include <algorithm>
#include <iterator>

#include "packet/nic/bpf/bpf_object.h"

namespace warpmeter::bench {
namespace {

BpfCode code_for(FrameFeed::To to, int map, unsigned key) {
  using R = BpfCode::Register;
  BpfCode code;
  if (to == FrameFeed::To::nobody || to == FrameFeed::To::host) {
    code.set(R::result, to == FrameFeed::To::host ? XDP_PASS : XDP_DROP);
  } else {
    code.load_map(R::argument1, map);
    code.set(R::argument2, static_cast<std::int32_t>(key));
    code.set(R::argument3, XDP_DROP);  // where the map has nothing
    code.call(BpfHelper::redirect_map);
  }
  code.exit();
  return code;
}

Descriptor map_for(FrameFeed::To to, int interface, unsigned key, int socket) {
  if (to == FrameFeed::To::nobody || to == FrameFeed::To::host) return {};
  const bool veth = to == FrameFeed::To::veth;
  Descriptor map =
      make_map("to", {.type = veth ? BPF_MAP_TYPE_DEVMAP : BPF_MAP_TYPE_XSKMAP, .value_bytes = 4, .entries = key + 1});
  put_into_map(map.get(), key, veth ? &interface : &socket);
  return map;
}

// Ethernet, IPv4, UDP, for nobody on this machine.
std::vector<std::uint8_t> frame_of(std::uint32_t bytes) {
  std::vector<std::uint8_t> frame(bytes, 0x5a);
  const auto length = static_cast<std::uint16_t>(bytes - 14), of_udp = static_cast<std::uint16_t>(length - 20);
  const std::uint8_t headers[42] = {2,
                                    0,
                                    0,
                                    0,
                                    0,
                                    9,
                                    2,
                                    0,
                                    0,
                                    0,
                                    0,
                                    8,
                                    8,
                                    0,  // Ethernet
                                    0x45,
                                    0,
                                    static_cast<std::uint8_t>(length >> 8),
                                    static_cast<std::uint8_t>(length),
                                    0,
                                    1,
                                    0x40,
                                    0,
                                    64,
                                    17,
                                    0,
                                    0,
                                    10,
                                    0,
                                    0,
                                    1,
                                    10,
                                    0,
                                    0,
                                    2,  // IPv4; no checksum
                                    0x10,
                                    0,
                                    0x20,
                                    0,
                                    static_cast<std::uint8_t>(of_udp >> 8),
                                    static_cast<std::uint8_t>(of_udp),
                                    0,
                                    0};
  std::copy(std::begin(headers), std::end(headers), frame.begin());
  return frame;
}

}  // namespace

FrameFeed::FrameFeed(To to, int interface, std::uint32_t bytes, unsigned queue, int socket)
    : map_(map_for(to, interface, queue, socket)),
      program_(load_xdp_program("frame_feed", code_for(to, map_.get(), queue), {})),
      ingress_(to == To::host || to == To::socket ? static_cast<std::uint32_t>(interface) : 0),
      queue_(to == To::host || to == To::socket ? queue : 0),
      frame_(frame_of(bytes)) {}

void FrameFeed::send(std::uint32_t frames) {
  const auto size = static_cast<std::uint32_t>(frame_.size());
  run_with_live_frames(program_.get(), {frame_.data(), size, ingress_, queue_}, frames);
}

}  // namespace warpmeter::bench
