// The network interfaces of this namespace whose names match a pattern, as they appear, disappear and change their
// names. The kernel tells of each before a packet of it is read, so no packet of an interface is of an unknown one,
// also where it is gone by then.
//
// Source: rtnetlink(7), netlink(7), packet(7).
//
// Threads: any, at once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/observed_points.h"
#include "core/thread_annotations.h"
#include "packet/nic/bpf/bpf_maps.h"
#include "packet/nic/ring/netlink.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/ring_counts.h"

namespace warpmeter::inline packet {

class FollowedInterfaces {
 public:
  // Those that are gone stay known for a while: packets of theirs are in rings still.
  static constexpr std::size_t kMostGone = 4096;

  struct Interface {
    std::string name;
    unsigned short type = 0;  // ARPHRD_...
    bool is_there = true;
    bool is_followed = false;  // the pattern matches
    std::uint32_t point = 0;   // of ObservedPoints; 0: there are none yet
    // By the largest MTU that it had, for what came by that may be in rings still.
    std::uint32_t longest_frame = UINT32_MAX;
  };
  using Table = std::unordered_map<int, Interface>;  // by their numbers in the system

  // `room`: bytes of what the kernel tells while nobody asks; where that is too little, all is asked for again. Throws
  // Error: the kernel does not tell.
  explicit FollowedInterfaces(InterfacePattern pattern, int room = 4 << 20);

  // Interfaces are points of `observed`, which must outlive this, from now on. Those that find no room there, and
  // unknown ones, are the pattern's own.
  void observe_as(ObservedPoints& observed);
  std::uint32_t own_point() const { return own_point_; }

  // Makes followed interfaces promiscuous, those that appear as well, until this packet socket is closed.
  void make_promiscuous_by(int packet_socket);

  // Those of Ethernet, as a set for filters in the kernel, which follows them from now on. Null: the kernel does not
  // allow it. Asked again, it is the same.
  const BpfInterfaces* ethernet_in_kernel();

  // As of now: all that the kernel has told of. Cheap where it has told nothing.
  std::shared_ptr<const Table> now();

  bool follows_unknown() const { return pattern_.word == kAnyInterface; }
  const InterfacePattern& pattern() const { return pattern_; }

  // Lines for people, of what appeared and went away since this was asked last.
  std::vector<std::string> take_news();

  // Frames of these came to a ring, each so many.
  using Frames = std::vector<std::pair<int, std::uint64_t>>;
  void count(const Frames& frames);
  // One of these is longer than its MTU allows, and counts as one packet.
  void count_long_frame(int index);
  void count_lost(int index, std::uint64_t packets);
  // By name, also of those that are gone; of very many not all.
  std::vector<FollowedCounts> counts();
  // Those that had such a frame, each once; of very many not all.
  std::vector<NetworkInterface> take_those_with_long_frames();

 private:
  // REQUIRES, of these: mutex_ is held.
  void update();
  void ask_for_all();
  void take(std::string_view messages);
  void is_there(int index, unsigned short type, std::string name, std::uint32_t longest_frame);
  void is_gone(int index);
  void forget(int index);
  void end_of_all();
  void follow(int index, Interface& interface);
  void add_news(const std::string& name, const std::string& what);

  const InterfacePattern pattern_;
  const LinkMessages messages_;
  std::mutex mutex_;
  Table known_ WARPMETER_GUARDED_BY(mutex_);
  std::shared_ptr<const Table> table_ WARPMETER_GUARDED_BY(mutex_);  // a copy of it; null: it has changed since
  std::deque<int> gone_ WARPMETER_GUARDED_BY(mutex_);                // the first that went away first
  bool some_lost_ WARPMETER_GUARDED_BY(mutex_) = false;     // of the kernel's messages, and all is to be asked for
  bool is_whole_ WARPMETER_GUARDED_BY(mutex_) = true;       // the answer to that, so far
  bool asks_for_all_ WARPMETER_GUARDED_BY(mutex_) = false;  // and the answer has not ended yet
  std::set<int> told_ WARPMETER_GUARDED_BY(mutex_);         // in it
  std::vector<std::string> news_ WARPMETER_GUARDED_BY(mutex_);
  std::size_t more_news_ WARPMETER_GUARDED_BY(mutex_) = 0;  // than lines
  std::unique_ptr<BpfInterfaces> ethernet_ WARPMETER_GUARDED_BY(mutex_);
  std::unordered_map<int, FollowedCounts> counts_ WARPMETER_GUARDED_BY(mutex_);  // without names
  // Of names that another interface, or nothing, has now.
  std::map<std::string, FollowedCounts> counts_of_past_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<NetworkInterface> new_long_ WARPMETER_GUARDED_BY(mutex_);
  int told_long_ WARPMETER_GUARDED_BY(mutex_) = 0;
  bool is_begin_ WARPMETER_GUARDED_BY(mutex_) = true;  // what is there now is no news
  ObservedPoints* observed_ WARPMETER_GUARDED_BY(mutex_) = nullptr;
  std::uint32_t own_point_ = 0;  // observe_as() sets it, before anybody reads a ring
  int promiscuous_by_ WARPMETER_GUARDED_BY(mutex_) = -1;
};

}  // namespace warpmeter::inline packet
