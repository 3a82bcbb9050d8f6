#include "packet/nic/feeder/hpcap_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "core/byte_order.h"
#include "packet/nic/feeder/hpcap_driver.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kRecordHeader = 12;  // as in hpcap_reader.h
constexpr std::size_t kHpcapBlocks = 32;
constexpr std::uint32_t kSecond = 1'000'000'000;  // ns

}  // namespace

void HpcapEnd::say(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!said_) why_ = why;
  said_.store(true, std::memory_order_release);
}

std::string HpcapEnd::why() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

HpcapRing::HpcapRing(std::unique_ptr<HpcapDevice> device, std::string point, unsigned number,
                     std::shared_ptr<HpcapEnd> end)
    : device_(std::move(device)),
      point_(std::move(point)),
      number_(number),
      end_(std::move(end)),
      pool_(std::make_shared<CopiedFramesPool>(kHpcapBlocks)),
      buffer_(device_->map()) {
  at_ = look().offset;
  const HpcapPlace place = device_->place();
  if (place.offset >= buffer_.bytes) throw Error("the driver writes at byte " + std::to_string(place.offset));
  const std::uint64_t ahead = (place.offset + buffer_.bytes - at_) % buffer_.bytes;
  file_offset_ = (place.file_offset % kFileBytes + kFileBytes - ahead % kFileBytes) % kFileBytes;
}

HpcapAvailable HpcapRing::look() {
  const HpcapAvailable available = device_->ack_wait(std::exchange(ack_, 0));
  if (available.bytes > buffer_.bytes || (available.bytes > 0 && available.offset >= buffer_.bytes)) {
    throw Error("the driver tells of " + std::to_string(available.bytes) + " bytes at byte " +
                std::to_string(available.offset) + " of " + std::to_string(buffer_.bytes));
  }
  available_ = available.bytes;
  return available;
}

std::optional<RingBlock> HpcapRing::next() {
  if (end_->was_said() && left_ == 0) return {};
  std::shared_ptr<CopiedFrames> frames = pool_->take();
  if (!frames) return {};
  try {
    if (!shut_ && !end_->was_said()) {
      const HpcapAvailable available = look();
      if (available.bytes > 0 && available.offset != at_) {
        throw Error("the driver goes on at byte " + std::to_string(available.offset) +
                    " of its buffer in the place of " + std::to_string(at_));
      }
      left_ = available.bytes;
    }
    while (take_record(*frames)) continue;
  } catch (const Error& error) {
    end_->say(error.what());
    left_ = 0;
  }
  if (frames->is_empty()) return {};
  received_.fetch_add(frames->size(), std::memory_order_relaxed);
  return block_of(std::move(frames));
}

// Or padding. False: not now.
bool HpcapRing::take_record(CopiedFrames& frames) {
  const std::uint64_t left_of_file = kFileBytes - file_offset_;
  if (left_of_file < kRecordHeader) return skip(left_of_file);
  if (left_ < kRecordHeader) return false;
  std::array<std::uint8_t, kRecordHeader> header;
  copy(at_, header.data(), kRecordHeader);
  const auto seconds = load<std::uint32_t>(header.data()), nanoseconds = load<std::uint32_t>(header.data() + 4);
  const auto captured = load<std::uint16_t>(header.data() + 8), original = load<std::uint16_t>(header.data() + 10);
  if (nanoseconds >= kSecond) return damaged("nanoseconds " + std::to_string(nanoseconds));
  if (kRecordHeader + captured > left_of_file) return damaged("a record that goes on over the end of its file");
  if (seconds == 0 && nanoseconds == 0 && captured == original) return skip(kRecordHeader + captured);
  if (left_ < kRecordHeader + captured || !frames.has_room(captured)) return false;
  const std::int64_t time_ns = std::int64_t{seconds} * kSecond + nanoseconds;
  std::uint8_t* const bytes = frames.add({nullptr, time_ns, captured, original, kLinkEthernet});
  copy((at_ + kRecordHeader) % buffer_.bytes, bytes, captured);
  advance(kRecordHeader + captured);
  return true;
}

bool HpcapRing::skip(std::uint64_t bytes) {
  if (left_ < bytes) return false;
  advance(bytes);
  return true;
}

void HpcapRing::advance(std::uint64_t bytes) {
  at_ = (at_ + bytes) % buffer_.bytes;
  file_offset_ = (file_offset_ + bytes) % kFileBytes;
  left_ -= bytes;
  ack_ += bytes;
}

void HpcapRing::copy(std::uint64_t from, std::uint8_t* to, std::size_t bytes) const {
  const std::size_t first = std::min<std::uint64_t>(bytes, buffer_.bytes - from);
  std::memcpy(to, buffer_.at + from, first);
  if (bytes > first) std::memcpy(to + first, buffer_.at, bytes - first);
}

bool HpcapRing::damaged(const std::string& what) {
  throw Error("the driver's buffer is damaged: " + what + " at byte " + std::to_string(at_));
}

// What is there now is taken still.
void HpcapRing::shut() {
  if (!end_->was_said()) {
    try {
      const HpcapAvailable available = look();
      left_ = available.bytes > 0 && available.offset != at_ ? 0 : available.bytes;
    } catch (const Error& error) {
      end_->say(error.what());
      left_ = 0;
    }
  }
  shut_ = true;
}

HpcapPoint::HpcapPoint(std::string name, std::vector<std::unique_ptr<HpcapDevice>> devices)
    : name_(std::move(name)), end_(std::make_shared<HpcapEnd>()) {
  for (auto& device : devices) {
    const auto number = static_cast<unsigned>(rings_.size());
    rings_.push_back(std::make_unique<HpcapRing>(std::move(device), name_, number, end_));
  }
  lost_ = rings_[0]->device().lost();
}

std::string HpcapPoint::way() const {
  const std::string size = human_bytes(static_cast<double>(rings_[0]->size()));
  if (rings_.size() == 1) return fmt::format("HP-CAP, a ring of {}", size);
  return fmt::format("HP-CAP, {} rings of {}", rings_.size(), size);
}

// A driver that was loaded again begins at 0.
void HpcapPoint::look(const Warn&) {
  const std::uint64_t lost = rings_[0]->device().lost();
  if (lost > lost_) lost_since_ += lost - lost_;
  lost_ = lost;
}

std::unique_ptr<ObservationPoint> open_hpcap_point(const std::string& adapter) {
  const std::string name = "hpcap:" + adapter;
  const bool is_number = !adapter.empty() && adapter.size() <= 2 &&
                         std::ranges::all_of(adapter, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) throw Error(printable(name) + ": the number of an adapter, as hpcap:0", ExitStatus::usage);
  try {
    return std::make_unique<HpcapPoint>(name, open_hpcap_driver(static_cast<unsigned>(std::stoul(adapter))));
  } catch (const Error& error) {
    throw Error(name + ": " + error.what(), error.status());
  }
}

}  // namespace warpmeter::inline packet
