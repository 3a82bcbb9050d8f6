#include "packet/nic/ring/followed_interfaces.h"

#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/words/printable.h"
#include "packet/nic/ring/netlink.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kMostNews = 32;  // lines at once
constexpr int kMostLong = 32;          // interfaces that are told to have long frames
constexpr int kTries = 32;             // where messages are lost faster than they are asked for again

}  // namespace

FollowedInterfaces::FollowedInterfaces(InterfacePattern pattern, int room)
    : pattern_(std::move(pattern)), messages_(room) {
  ask_for_all();
  update();
  if (known_.empty()) {
    throw Error(printable(pattern_.word) + ": the kernel does not tell which network interfaces there are");
  }
  is_begin_ = false;
}

void FollowedInterfaces::observe_as(ObservedPoints& observed) {
  const std::lock_guard lock(mutex_);
  observed_ = &observed;
  own_point_ = observed.add(pattern_.word, 0);
  for (auto& [index, interface] : known_) {
    if (interface.is_followed) follow(index, interface);
  }
  table_.reset();
}

void FollowedInterfaces::make_promiscuous_by(int packet_socket) {
  const std::lock_guard lock(mutex_);
  promiscuous_by_ = packet_socket;
  for (auto& [index, interface] : known_) {
    if (interface.is_followed && interface.is_there) follow(index, interface);
  }
}

const BpfInterfaces* FollowedInterfaces::ethernet_in_kernel() {
  const std::lock_guard lock(mutex_);
  if (ethernet_) return ethernet_.get();
  try {
    ethernet_ = std::make_unique<BpfInterfaces>("wm_ethernet");
  } catch (const std::system_error&) {
    return nullptr;
  }
  for (auto& [index, interface] : known_) {
    if (interface.is_followed && interface.is_there) follow(index, interface);
  }
  return ethernet_.get();
}

std::shared_ptr<const FollowedInterfaces::Table> FollowedInterfaces::now() {
  const std::lock_guard lock(mutex_);
  update();
  if (!table_) table_ = std::make_shared<const Table>(known_);
  return table_;
}

std::vector<std::string> FollowedInterfaces::take_news() {
  const std::lock_guard lock(mutex_);
  update();
  if (more_news_) {
    news_.push_back(printable(pattern_.word) + ": " + std::to_string(more_news_) + " more appeared or went away");
  }
  more_news_ = 0;
  return std::exchange(news_, {});
}

void FollowedInterfaces::count(const Frames& frames) {
  const std::lock_guard lock(mutex_);
  for (const auto& [index, count] : frames) {
    if (known_.contains(index)) counts_[index].frames += count;
  }
}

void FollowedInterfaces::count_long_frame(int index) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(index);
  if (found == known_.end() || counts_[index].long_frames++ > 0 || told_long_ == kMostLong) return;
  ++told_long_;
  new_long_.push_back({.name = found->second.name, .index = index});
}

void FollowedInterfaces::count_lost(int index, std::uint64_t packets) {
  const std::lock_guard lock(mutex_);
  if (known_.contains(index)) counts_[index].lost += packets;
}

std::vector<FollowedCounts> FollowedInterfaces::counts() {
  const std::lock_guard lock(mutex_);
  std::vector<FollowedCounts> all;
  for (const auto& [index, interface] : known_) {
    if (!interface.is_followed) continue;
    all.push_back(counts_[index]);
    all.back().interface = interface.name;
    all.back().gone = !interface.is_there;
  }
  for (const auto& [name, counts] : counts_of_past_) all.push_back(counts);
  std::ranges::sort(all, {}, [](const FollowedCounts& one) { return std::pair(one.interface, one.gone); });
  return all;
}

std::vector<NetworkInterface> FollowedInterfaces::take_those_with_long_frames() {
  const std::lock_guard lock(mutex_);
  return std::exchange(new_long_, {});
}

// What was lost may be of any of them. An answer that has begun is taken to its end first.
void FollowedInterfaces::update() {
  for (int i = 0; i < kTries; ++i) {
    if (!messages_.take([this](std::span<const char> some) { take({some.data(), some.size()}); })) {
      some_lost_ = true;
      is_whole_ = false;
      continue;
    }
    if (!some_lost_) return;
    ask_for_all();
  }
}

void FollowedInterfaces::ask_for_all() {
  told_.clear();
  asks_for_all_ = true;
  is_whole_ = true;
  some_lost_ = false;
  messages_.ask_for_all();
}

// What bridges say of their ports has the family of bridges.
void FollowedInterfaces::take(std::string_view messages) {
  while (const auto header = begin_of<nlmsghdr>(messages)) {
    if (header->nlmsg_len < NLMSG_HDRLEN || header->nlmsg_len > messages.size()) return;
    const std::string_view body = messages.substr(NLMSG_HDRLEN, header->nlmsg_len - NLMSG_HDRLEN);
    messages.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(header->nlmsg_len), messages.size()));
    if (header->nlmsg_type == NLMSG_DONE) end_of_all();
    if (header->nlmsg_type == NLMSG_ERROR) some_lost_ = true;  // the kernel could not tell all: it is asked again
    const auto link = begin_of<ifinfomsg>(body);
    if (!link || link->ifi_family != AF_UNSPEC) continue;
    if (header->nlmsg_type == RTM_DELLINK) is_gone(link->ifi_index);
    if (header->nlmsg_type != RTM_NEWLINK) continue;
    const std::string_view name = find_attribute(body.substr(sizeof *link), IFLA_IFNAME);
    const auto mtu = begin_of<std::uint32_t>(find_attribute(body.substr(sizeof *link), IFLA_MTU));
    const bool is_told = mtu && mtu_tells_frames(link_of_type(link->ifi_type));
    is_there(link->ifi_index, link->ifi_type, std::string(name.substr(0, name.find('\0'))),
             is_told ? longest_frame_of(*mtu) : 0);
  }
}

// A number that is used again is another interface; so is another name, for people. `longest_frame`: 0, it is not told.
void FollowedInterfaces::is_there(int index, unsigned short type, std::string name, std::uint32_t longest_frame) {
  if (asks_for_all_) told_.insert(index);
  const auto found = known_.find(index);
  if (found != known_.end() && found->second.is_there && found->second.name == name) {
    if (longest_frame <= found->second.longest_frame) return;
    found->second.longest_frame = longest_frame;
    table_.reset();
    return;
  }
  is_gone(index);
  forget(index);
  Interface& interface = known_[index] = {.name = std::move(name), .type = type};
  if (longest_frame) interface.longest_frame = longest_frame;
  interface.is_followed = pattern_.matches(interface.name);
  table_.reset();
  if (!interface.is_followed) return;
  follow(index, interface);
  add_news(interface.name, " appeared");
}

void FollowedInterfaces::is_gone(int index) {
  const auto found = known_.find(index);
  if (found == known_.end() || !found->second.is_there) return;
  found->second.is_there = false;
  if (ethernet_) ethernet_->remove(index);
  table_.reset();
  if (found->second.is_followed) add_news(found->second.name, " is gone");
  gone_.push_back(index);
  if (gone_.size() <= kMostGone) return;
  if (const auto oldest = known_.find(gone_.front()); oldest != known_.end() && !oldest->second.is_there) {
    forget(oldest->first);
    known_.erase(oldest);
  }
  gone_.pop_front();
}

// What came from it stays counted.
void FollowedInterfaces::forget(int index) {
  const auto counted = counts_.extract(index);
  const auto interface = known_.find(index);
  if (counted.empty() || interface == known_.end() || !interface->second.is_followed) return;
  if (counts_of_past_.size() == kMostGone && !counts_of_past_.contains(interface->second.name)) return;
  FollowedCounts& past = counts_of_past_[interface->second.name];
  past.interface = interface->second.name;
  past.frames += counted.mapped().frames;
  past.long_frames += counted.mapped().long_frames;
  past.lost += counted.mapped().lost;
  past.gone = true;
}

// What the answer has not told of went away when messages were lost.
void FollowedInterfaces::end_of_all() {
  asks_for_all_ = false;
  if (!is_whole_) return;
  std::vector<int> gone;
  for (const auto& [index, interface] : known_) {
    if (!told_.contains(index)) gone.push_back(index);
  }
  for (const int index : gone) is_gone(index);
}

// An interface that cannot be promiscuous is captured from as it is.
void FollowedInterfaces::follow(int index, Interface& interface) {
  if (observed_ && interface.point == 0) {
    interface.point = observed_->add(interface.name, static_cast<std::uint32_t>(index));
    if (interface.point == 0) interface.point = own_point_;
  }
  if (ethernet_ && interface.type == ARPHRD_ETHER) ethernet_->add(index);
  if (promiscuous_by_ < 0 || !interface.is_there || interface.type == ARPHRD_LOOPBACK) return;
  packet_mreq all{};
  all.mr_ifindex = index;
  all.mr_type = PACKET_MR_PROMISC;
  setsockopt(promiscuous_by_, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all);
}

void FollowedInterfaces::add_news(const std::string& name, const std::string& what) {
  if (is_begin_) return;
  if (news_.size() < kMostNews) news_.push_back(printable(name) + what);
  else ++more_news_;
}

}  // namespace warpmeter::inline packet
