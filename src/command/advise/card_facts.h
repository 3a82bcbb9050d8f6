// What there is to know of a network interface and its machine before packets are captured from it, and how to ask for
// it. What nobody told is empty.
//
// Source: ethtool(8), the kernel's Documentation/networking/scaling.rst, sysfs and procfs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "packet/nic/cpus/affinity.h"
#include "packet/nic/cpus/interrupt_affinity.h"

namespace warpmeter::inline command {

struct NowAndMost {
  std::uint32_t now = 0, most = 0;
};

struct CardQueues {
  NowAndMost rx = {}, combined = {};  // that receive, that receive and send
};

// An offload, or something else that is on or off.
struct CardFeature {
  bool on = false;
  bool fixed = false;  // cannot be changed
};

// How the card chooses the queue of a packet (receive side scaling).
struct CardHash {
  bool is_toeplitz = false, is_xor = false;
  bool mirrors_input = false;  // takes both directions alike, whatever its key is
  std::vector<std::uint8_t> key;
};

// Of which fields the hash is, for a kind of packet.
struct HashFields {
  bool source = false, destination = false, source_port = false, destination_port = false;
};

struct CardFacts {
  std::string name;
  std::string driver;  // empty: not known
  bool is_up = true;
  std::string other_end;               // of a veth, where its name is known
  std::optional<bool> other_end_cuts;  // of a veth: it leaves no frames of several segments; none: nobody tells
  bool tells_tags = false;             // VLAN tags that are beside frames, to AF_XDP
  bool has_card = false;               // it is no veth, bridge or other that the kernel made
  std::uint32_t speed_mbit = 0;
  std::uint32_t mtu = 0;
  std::optional<unsigned> node;  // of NUMA
  CpuList near;                  // its CPUs, as far as this process may use them
  CardQueues queues;
  NowAndMost rx_ring;                           // frames that one queue of the card holds
  std::map<std::string, CardFeature> features;  // as `ethtool -k` calls them in the kernel: "rx-gro"
  std::optional<CardHash> hash;
  std::map<std::string, HashFields> fields;  // "tcp4", "udp6"
  std::uint32_t steering_rules = 0;          // that choose a queue beside the hash
  std::vector<QueueInterrupt> interrupts;
  bool irqbalance = false;       // runs
  std::vector<unsigned> sleepy;  // CPUs of `near` whose governor is another than performance
  std::string governor;          // of the first of them

  // Queues that receive.
  std::uint32_t rx_queues() const { return queues.rx.now + queues.combined.now; }
};

// Asks the kernel, the driver and the machine for the facts of an interface. Changes nothing, and needs no rights.
// Throws Error: there is no such interface.
CardFacts ask_card(const std::string& interface);

}  // namespace warpmeter::inline command
