#include "command/coalesce/inline_places.h"

#include <fmt/format.h>

#include "base/words/printable.h"
#include "packet/inject/frame_writer.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

// Blocks that are not full wait for so long: the shortest time that there is.
constexpr unsigned kBlockMs = 1;

NetworkInterface ethernet_interface(const std::string& name) {
  NetworkInterface interface = find_interface(name);
  if (interface.link == kLinkEthernet && !interface.is_loopback) return interface;
  throw Error(printable(name) + ": it is no Ethernet, and nothing else is forwarded");
}

// All would come in again.
[[noreturn]] void refuse_one_place(const NetworkInterface& in) {
  throw Error("-i and --to: " + printable(in.name) + " is both", ExitStatus::usage);
}

}  // namespace

InlinePlaces::InlinePlaces(const InlineOptions& options) : in_(ethernet_interface(options.interface)) {
  const PacketRingOptions ring{.bytes = options.ring_bytes, .block_ms = kBlockMs, .whole = true};
  claim_of_in_ = claim_wire(in_);
  if (options.to.is_tap) open_tap(options.to);
  else open_interface(options.to, ring);
  wire_of_in_ = open_wire_socket(in_);
  writer_of_in_ = std::make_unique<FrameWriter>(wire_of_in_.get(), in_.name);
  ring_ = std::make_unique<PacketRing>(in_, 0, ring, std::nullopt);  // last: from now on frames come in
}

void InlinePlaces::open_tap(const InlineOutput& to) {
  if (to.space.empty() && to.name == in_.name) refuse_one_place(in_);
  tap_ = std::make_unique<TapDevice>(to.name, to.space, mtu_of(in_));
  name_of_out_ = tap_->name();
  writer_ = std::make_unique<FrameWriter>(tap_->fd(), name_of_out_);
}

// What it would not cut, the kernel would cut before it: super-packets would be made for nothing.
void InlinePlaces::open_interface(const InlineOutput& to, const PacketRingOptions& ring) {
  out_ = ethernet_interface(to.name);
  name_of_out_ = out_->name;
  const std::string name = printable(out_->name);
  if (out_->index == in_.index) refuse_one_place(in_);
  claim_of_out_ = claim_wire(*out_);
  if (!cuts_tcp(*out_)) {
    throw Error(
        fmt::format("{0}: it does not cut super-packets again (no TSO), and does not get any; ethtool -K {0} "
                    "tso on, if it can",
                    name));
  }
  if (mtu_of(*out_) < mtu_of(in_)) {
    throw Error(fmt::format("{}: its MTU of {} is smaller than that of {}, {}", name, mtu_of(*out_),
                            printable(in_.name), mtu_of(in_)));
  }
  wire_of_out_ = open_wire_socket(*out_);
  writer_ = std::make_unique<FrameWriter>(wire_of_out_.get(), out_->name);
  ring_of_out_ = std::make_unique<PacketRing>(*out_, 0, ring, std::nullopt);
}

std::string InlinePlaces::description() const { return printable(in_.name) + " to " + printable(name_of_out_); }

std::vector<std::string> InlinePlaces::remarks() const {
  std::vector<std::string> remarks;
  const auto tell_if_down = [&remarks](const NetworkInterface& interface) {
    const std::string name = printable(interface.name);
    if (!interface.is_up)
      remarks.push_back(fmt::format("{0} is down: no packets until it is up (ip link set {0} up)", name));
  };
  const auto tell_of_address = [&remarks](const NetworkInterface& interface) {
    if (!has_address(interface)) return;
    remarks.push_back(
        fmt::format("{0} has an address: this host answers there itself, beside the one that packets are forwarded to "
                    "(ip addr flush dev {0})",
                    printable(interface.name)));
  };
  for (const NetworkInterface* const interface : {&in_, out_ ? &*out_ : nullptr}) {
    if (!interface) continue;
    tell_if_down(*interface);
    tell_of_address(*interface);
  }
  if (const std::uint32_t mtu = mtu_of(in_); tap_ && tap_->mtu() > mtu) {
    remarks.push_back(fmt::format("{}: its MTU of {} is larger than that of {}, {}: longer packets do not go out there",
                                  printable(name_of_out_), tap_->mtu(), printable(in_.name), mtu));
  }
  for (const std::string& offload : merging_offloads(in_)) {
    remarks.push_back(
        fmt::format("{0}: {1} joins packets before they come here, and these pass as they are (ethtool -K "
                    "{0} {1} off)",
                    printable(in_.name), offload));
  }
  return remarks;
}

}  // namespace warpmeter::inline command
