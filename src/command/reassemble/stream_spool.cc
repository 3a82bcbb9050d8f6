#include "command/reassemble/stream_spool.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

// The smallest place that a chain can have is 1, since 0 is none.
std::uint64_t chain_at(std::uint64_t place) { return place + 1; }
std::uint64_t place_of(std::uint64_t chain) { return chain - 1; }

constexpr std::uint64_t kInMemory = ~std::uint64_t{0};  // in place of a run's in the file

}  // namespace

SpoolWindow::SpoolWindow(const TempFile& file, std::uint64_t bytes)
    : file_(file), bytes_(bytes), pages_(new char[kPages * kPage]), direct_(new char[kDirect]) {
  numbers_.fill(kNone);
}

void SpoolWindow::fetch(char* to, std::size_t bytes, std::uint64_t place) const {
  if (file_.read(to, bytes, place) < bytes) throw Error("a run file has become shorter");
}

// Each page of the file has one place, so that it is found without a search.
const char* SpoolWindow::page(std::uint64_t number) {
  const std::size_t slot = number % kPages;
  char* const bytes = pages_.get() + slot * kPage;
  if (numbers_[slot] == number) return bytes;
  numbers_[slot] = kNone;
  const std::uint64_t place = number * kPage;
  fetch(bytes, std::min<std::uint64_t>(kPage, bytes_ - place), place);
  numbers_[slot] = number;
  return bytes;
}

void SpoolWindow::read(void* to, std::size_t bytes, std::uint64_t place) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const std::size_t from = place % kPage, some = std::min(bytes, kPage - from);
    std::memcpy(at, page(place / kPage) + from, some);
    at += some;
    place += some;
    bytes -= some;
  }
}

void SpoolWindow::copy(std::uint64_t place, std::uint64_t bytes, ByteSink& to) {
  while (bytes >= kLarge) {
    const std::size_t some = std::min<std::uint64_t>(bytes, kDirect);
    fetch(direct_.get(), some, place);
    to.write(direct_.get(), some);
    place += some;
    bytes -= some;
  }
  while (bytes > 0) {
    const std::size_t from = place % kPage, some = std::min<std::uint64_t>(bytes, kPage - from);
    to.write(page(place / kPage) + from, some);
    place += some;
    bytes -= some;
  }
}

StreamSpool::StreamSpool(std::string tmpdir, SpoolLimits limits)
    : tmpdir_(std::move(tmpdir)), limits_(limits), buffer_(new char[limits.buffer]) {}

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
  runs_.push_back({size(), index_.size()});
  write(index_.data(), index_.size() * sizeof(SpooledConnection));
  index_.clear();
  last_ = 0;
}

void StreamSpool::finish() {
  if (file_) {
    flush();
    buffer_.reset();
    window_ = std::make_unique<SpoolWindow>(*file_, flushed_);
  }
  std::ranges::sort(index_, {}, &SpooledConnection::number);
  runs_.push_back({kInMemory, index_.size()});
}

void StreamSpool::read(void* to, std::size_t bytes, std::uint64_t place) {
  if (window_) window_->read(to, bytes, place);
  else std::memcpy(to, buffer_.get() + place, bytes);
}

void StreamSpool::read_run(std::size_t run, std::uint64_t first, std::span<SpooledConnection> connections) {
  const Run& from = runs_[run];
  if (from.at == kInMemory) std::copy_n(index_.data() + first, connections.size(), connections.data());
  else read(connections.data(), connections.size_bytes(), from.at + first * sizeof(SpooledConnection));
}

// The latest fragments, as many as may be listed; returns the chain of those before them.
std::uint64_t StreamSpool::list(std::uint64_t chain) {
  listed_.clear();
  while (chain != 0 && listed_.size() < limits_.listed) {
    Fragment fragment;
    read(&fragment, sizeof fragment, place_of(chain));
    listed_.push_back({place_of(chain) + sizeof fragment, fragment.bytes});
    chain = fragment.before;
  }
  return chain;
}

void StreamSpool::give_listed(ByteSink& to) {
  for (auto place = listed_.rbegin(); place != listed_.rend(); ++place) {
    if (window_) window_->copy(place->at, place->bytes, to);
    else to.write(buffer_.get() + place->at, place->bytes);
  }
}

// A chain leads from the latest fragment to the first. Of a long one each part is gone through twice.
void StreamSpool::give(std::uint64_t chain, ByteSink& to) {
  std::vector<std::uint64_t> parts;
  for (std::uint64_t left = chain; left != 0;) {
    parts.push_back(left);
    left = list(left);
  }
  for (bool is_listed = true; !parts.empty(); parts.pop_back(), is_listed = false) {
    if (!is_listed) list(parts.back());
    give_listed(to);
  }
}

std::uint64_t StreamSpool::give_last(std::uint64_t chain, ByteSink& to) {
  Fragment last;
  read(&last, sizeof last, place_of(chain));
  listed_.assign(1, {place_of(chain) + sizeof last, last.bytes});
  give_listed(to);
  return last.before;
}

SpooledOrder::SpooledOrder(std::span<const std::unique_ptr<StreamSpool>> spools) {
  for (const auto& spool : spools) {
    for (std::size_t run = 0; run < spool->runs(); ++run) {
      Cursor cursor{spool.get(), run, 0, {}, 0};
      if (refill(cursor)) heap_.add(std::move(cursor));
    }
  }
}

// False: the run has no more.
bool SpooledOrder::refill(Cursor& cursor) {
  const std::uint64_t left = cursor.spool->connections_in(cursor.run) - cursor.read;
  cursor.some.resize(std::min(left, kSome));
  cursor.at = 0;
  if (left == 0) return false;
  cursor.spool->read_run(cursor.run, cursor.read, cursor.some);
  cursor.read += cursor.some.size();
  return true;
}

bool SpooledOrder::next(Next& connection) {
  if (heap_.empty()) return false;
  Cursor& first = heap_.first();
  connection = {first.spool, first.first().chain};
  if (++first.at < first.some.size() || refill(first)) heap_.first_changed();
  else heap_.drop_first();
  return true;
}

}  // namespace warpmeter::inline command
