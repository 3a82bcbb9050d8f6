#include "command/live/live_talkers.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline command {

std::vector<TopHost> LiveTalkers::top(std::size_t most) const {
  std::vector<TopHost> all;
  {
    const std::lock_guard lock(mutex_);
    for (const std::vector<TopHost>& hosts : of_owners_) all.insert(all.end(), hosts.begin(), hosts.end());
  }
  return most_of(std::move(all), most);
}

LiveTalkers::Walk::Walk(LiveTalkers& talkers, const std::vector<std::unique_ptr<Shard>>& shards)
    : talkers_(talkers),
      place_([&talkers] {
        const std::lock_guard lock(talkers.mutex_);
        talkers.of_owners_.emplace_back();
        return talkers.of_owners_.size() - 1;
      }()),
      shards_(shards),
      seen_(shards.size()),
      began_(Clock::now()) {}

void LiveTalkers::Walk::look(std::size_t flows) {
  if (!under_way_) {
    const Clock::time_point now = Clock::now();
    if (now - began_ < talkers_.every_) return;
    before_ = std::exchange(began_, now);
    under_way_ = true;
  }
  for (; flows > 0 && shard_ < shards_.size(); --flows) {
    const Shard& shard = *shards_[shard_];
    if (number_ < shard.numbers()) look_at(shard, seen_[shard_]);
    else ++shard_, number_ = 0;
  }
  if (shard_ < shards_.size()) return;
  shard_ = 0;
  under_way_ = false;
  tell();
}

void LiveTalkers::Walk::look_at(const Shard& shard, std::vector<Seen>& seen) {
  const std::size_t number = number_++;
  if (!shard.lives(number)) return;
  if (number >= seen.size()) seen.resize(shard.numbers());
  const Seen now{shard.arrival_of(number), shard.bytes_of(number)};
  const Seen before = std::exchange(seen[number], now);
  const std::uint64_t grew = before.arrival == now.arrival ? now.bytes - before.bytes : now.bytes;
  if (grew > 0) hosts_.add(shard.key_of(number), grew);
}

void LiveTalkers::Walk::tell() {
  std::vector<TopHost> hosts = hosts_.take(kKept);
  const double seconds = std::chrono::duration<double>(began_ - before_).count();
  for (TopHost& host : hosts) host.bytes = static_cast<std::uint64_t>(static_cast<double>(host.bytes) / seconds);
  const std::lock_guard lock(talkers_.mutex_);
  talkers_.of_owners_[place_].swap(hosts);
}

}  // namespace warpmeter::inline command
