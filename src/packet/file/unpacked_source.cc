#include "packet/file/unpacked_source.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "packet/file/unpacker.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// What one step of unpacking may look at; bounds how long an end may go unnoticed in a file that gives nothing.
constexpr std::size_t kMostPacked = 16 << 20;

}  // namespace

Unpacking::Unpacking(std::unique_ptr<ByteSource> packed, std::unique_ptr<Unpacker> unpacker)
    : packed_(std::move(packed)),
      unpacker_(std::move(unpacker)),
      packed_size_(packed_->size()),
      pool_(std::make_shared<BufferPool>(kRoomBefore + kChunkBytes)),
      first_(unpack(kFirstBytes)) {}

Unpacking::~Unpacking() {
  if (!thread_.joinable()) return;
  abandoned_.store(true, std::memory_order_relaxed);
  packed_->abandon();
  {
    const std::lock_guard lock(mutex_);
    ready_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void Unpacking::start() {
  if (thread_.joinable() || first_.last) return;
  thread_ = std::thread([this] { run(); });
}

void Unpacking::park() {
  parked_ = true;
  if (!thread_.joinable()) packed_->park();
}

Unpacking::Chunk Unpacking::next() {
  if (!std::exchange(first_taken_, true)) {
    const bool last = first_.last;
    Chunk first = std::move(first_);
    first_ = {};
    first_.last = last;
    return first;
  }
  if (parked_ && !thread_.joinable()) return unpack(kFirstBytes);
  start();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty(); });
  Chunk chunk = std::move(ready_.front());
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return chunk;
}

void Unpacking::run() {
  for (bool more = true; more;) {
    Chunk chunk = unpack(kChunkBytes);
    more = !chunk.last;
    if (!push(std::move(chunk))) return;
  }
}

// False if nobody wants any more.
bool Unpacking::push(Chunk chunk) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_.size() < kAhead || abandoned_.load(std::memory_order_relaxed); });
  if (abandoned_.load(std::memory_order_relaxed)) return false;
  ready_.push_back(std::move(chunk));
  lock.unlock();
  changed_.notify_all();
  return true;
}

Unpacking::Chunk Unpacking::unpack(std::size_t most) {
  Chunk chunk;
  try {
    chunk.buffer = pool_->take(kRoomBefore + kChunkBytes);
    fill(chunk, most);
  } catch (...) {
    chunk.last = true;
    chunk.failure = std::current_exception();
  }
  chunk.consumed = packed_->consumed();
  return chunk;
}

void Unpacking::fill(Chunk& chunk, std::size_t most) {
  std::uint8_t* const to = chunk.buffer->data() + kRoomBefore;
  while (chunk.size < most && !abandoned_.load(std::memory_order_relaxed)) {
    packed_->need(1);
    packed_->lend_to(&borrowed_);
    const Unpacker::Step step = unpacker_->unpack({packed_->at(), std::min(packed_->left(), kMostPacked)},
                                                  {to + chunk.size, most - chunk.size});
    const bool ended = packed_->left() == 0 && step.given == 0;
    borrowed_.clear();
    packed_->advance(step.taken);
    const bool changed = !packed_->broken().empty();  // who knows what was unpacked in this step
    if (!changed) chunk.size += step.given;
    if (!changed && !ended && unpacker_->problem().empty()) continue;
    chunk.last = true;
    chunk.broken = end_text();
    return;
  }
}

std::string Unpacking::end_text() const {
  if (!packed_->broken().empty()) return packed_->broken();
  if (!unpacker_->problem().empty()) return unpacker_->problem();
  return unpacker_->at_border() ? "" : packed_->cut_text("cut short");
}

UnpackedSource::UnpackedSource(std::unique_ptr<ByteSource> packed, std::unique_ptr<Unpacker> unpacker,
                               std::string format)
    : format_(std::move(format)), unpacking_(std::move(packed), std::move(unpacker)) {}

void UnpackedSource::lend_to(Leases* leases) {
  leases_ = leases;
  if (leases && buffer_) leases->push_back(buffer_);
}

std::string UnpackedSource::broken() const { return chunk_.broken.empty() ? "" : format_ + ": " + chunk_.broken; }

bool UnpackedSource::grow(std::size_t bytes) {
  while (left() < bytes) {
    if (chunk_.failure) std::rethrow_exception(std::exchange(chunk_.failure, nullptr));
    if (chunk_.last) return false;
    show(unpacking_.next());
  }
  return true;
}

// What is left of the window goes right before the bytes of the next chunk.
void UnpackedSource::show(Unpacking::Chunk next) {
  const std::size_t kept = left();
  if (kept > Unpacking::kRoomBefore) {
    join(next);
  } else if (next.size > 0) {
    std::uint8_t* const data = next.buffer->data() + Unpacking::kRoomBefore;
    if (kept) std::memcpy(data - kept, at_, kept);
    at_ = data - kept;
    end_ = data + next.size;
    buffer_ = next.buffer;
    if (leases_) leases_->push_back(buffer_);
  }
  chunk_ = std::move(next);
  chunk_.buffer.reset();
}

// Something long: it is put together in a buffer that grows by doubling.
void UnpackedSource::join(const Unpacking::Chunk& next) {
  if (next.size == 0) return;
  const std::size_t kept = left();
  const auto used = static_cast<std::size_t>(end_ - buffer_->data());
  if (buffer_->size() - used < next.size) {
    auto larger = unpacking_.buffers().take(2 * (kept + next.size));
    std::memcpy(larger->data(), at_, kept);
    at_ = larger->data();
    end_ = at_ + kept;
    buffer_ = std::move(larger);
    if (leases_) leases_->push_back(buffer_);
  }
  std::uint8_t* const to = buffer_->data() + (end_ - buffer_->data());
  std::memcpy(to, next.buffer->data() + Unpacking::kRoomBefore, next.size);
  end_ = to + next.size;
}

std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> source, const std::string& name) {
  const Compression compression = compression_of(*source);
  if (compression == Compression::none) return source;
  std::unique_ptr<Unpacker> unpacker;
  try {
    unpacker = make_unpacker(compression);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
  return std::make_unique<UnpackedSource>(std::move(source), std::move(unpacker), name_of(compression));
}

}  // namespace warpmeter::inline packet
