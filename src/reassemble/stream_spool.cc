#include "reassemble/stream_spool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpmeter {
namespace {

// The smallest place that a chain can have is 1, since 0 is none.
std::uint64_t chain_at(std::uint64_t place) { return place + 1; }
std::uint64_t place_of(std::uint64_t chain) { return chain - 1; }

}  // namespace

StreamSpool::StreamSpool(std::string tmpdir, SpoolLimits limits)
    : tmpdir_(std::move(tmpdir)), limits_(limits), buffer_(new char[limits.buffer]) {}

StreamSpool::~StreamSpool() {
  if (mapped_) munmap(const_cast<char*>(mapped_), mapped_bytes_);
}

void StreamSpool::flush() {
  if (!file_) file_ = std::make_unique<TempFile>(tmpdir_);
  file_->write(buffer_.get(), fill_, flushed_);
  flushed_ += fill_;
  fill_ = 0;
}

void StreamSpool::begin(std::uint64_t& chain, std::uint64_t bytes) {
  const bool goes_on = last_ != 0 && chain == last_ && place_of(last_) >= flushed_;
  if (!goes_on) return begin_apart(chain, bytes);
  char* const fragment = buffer_.get() + (place_of(last_) - flushed_);  // and nothing came after it
  Fragment there;
  std::memcpy(&there, fragment, sizeof there);
  there.bytes += bytes;
  std::memcpy(fragment, &there, sizeof there);
}

void StreamSpool::begin_apart(std::uint64_t& chain, std::uint64_t bytes) {
  if (limits_.buffer - fill_ < sizeof(Fragment)) flush();
  const Fragment fragment{chain, bytes};
  last_ = chain = chain_at(size());
  std::memcpy(buffer_.get() + fill_, &fragment, sizeof fragment);
  fill_ += sizeof fragment;
}

void StreamSpool::write(const void* bytes, std::size_t count) {
  const char* from = static_cast<const char*>(bytes);
  while (count > 0) {
    if (fill_ == limits_.buffer) flush();
    const std::size_t some = std::min(count, limits_.buffer - fill_);
    std::memcpy(buffer_.get() + fill_, from, some);
    fill_ += some;
    from += some;
    count -= some;
  }
}

void StreamSpool::end(std::uint64_t number, std::uint64_t chain) {
  index_.push_back({number, chain});
  if (index_.size() == limits_.indexed) write_index();
}

void StreamSpool::write_index() {
  std::ranges::sort(index_, {}, &SpooledConnection::number);
  constexpr char kNothing[alignof(SpooledConnection)] = {};
  write(kNothing, (alignof(SpooledConnection) - size() % alignof(SpooledConnection)) % alignof(SpooledConnection));
  in_file_.push_back({size(), index_.size()});
  write(index_.data(), index_.size() * sizeof(SpooledConnection));
  index_.clear();
  last_ = 0;
}

void StreamSpool::finish() {
  if (file_) {
    flush();
    const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    mapped_bytes_ = (flushed_ + page - 1) / page * page;
    mapped_ = static_cast<const char*>(file_->map(mapped_bytes_, 0));
  }
  std::ranges::sort(index_, {}, &SpooledConnection::number);
  for (const Run& run : in_file_) {
    runs_.emplace_back(reinterpret_cast<const SpooledConnection*>(at(run.at)), run.count);
  }
  runs_.emplace_back(index_);
}

void StreamSpool::fragments_of(std::uint64_t chain, std::vector<std::string_view>& fragments) const {
  fragments.clear();
  while (chain != 0) {
    const char* const place = at(place_of(chain));
    Fragment fragment;
    std::memcpy(&fragment, place, sizeof fragment);
    fragments.emplace_back(place + sizeof fragment, fragment.bytes);
    chain = fragment.before;
  }
  std::ranges::reverse(fragments);
}

}  // namespace warpmeter
