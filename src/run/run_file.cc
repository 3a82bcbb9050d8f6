#include "run/run_file.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "warpmeter/biflow_key.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr RecordOrder kOrders[] = {arrival_order, output_order, biflow_arrival_order, biflow_output_order};

}  // namespace

struct Checksum::State {
  XXH3_state_t xxh3;
};

Checksum::Checksum() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
Checksum::~Checksum() = default;
void Checksum::add(const void* data, std::size_t bytes) { XXH3_64bits_update(&state_->xxh3, data, bytes); }
std::uint64_t Checksum::value() const { return XXH3_64bits_digest(&state_->xxh3); }

RunWriter::RunWriter(const std::string& folder, std::size_t buffered, RecordOrder order)
    : file_(std::make_unique<TempFile>(folder)), buffered_(std::max<std::size_t>(buffered, 1)), order_(order) {
  buffer_.reserve(buffered_);
  const RunHeader nothing{};
  file_->write(&nothing, sizeof nothing, 0);
}

void RunWriter::write(const FlowRecord& partial) {
  buffer_.push_back(partial);
  if (buffer_.size() == buffered_) flush();
}

void RunWriter::flush() {
  const std::size_t bytes = buffer_.size() * sizeof(FlowRecord);
  checksum_.add(buffer_.data(), bytes);
  file_->write(buffer_.data(), bytes, sizeof(RunHeader) + count_ * sizeof(FlowRecord));
  count_ += buffer_.size();
  buffer_.clear();
}

std::unique_ptr<TempFile> RunWriter::finish() {
  flush();
  const auto order = static_cast<std::uint16_t>(std::find(std::begin(kOrders), std::end(kOrders), order_) - kOrders);
  const RunHeader header{kRunMagic, kRunVersion, order, sizeof(FlowRecord), count_, checksum_.value()};
  file_->write(&header, sizeof header, 0);
  return std::move(file_);
}

RunReader::RunReader(std::unique_ptr<TempFile> file, std::size_t buffered) : file_(std::move(file)) {
  if (file_->read(&header_, sizeof header_, 0) != sizeof header_ || header_.magic != kRunMagic) {
    throw Error("run file: no magic: it was not finished or is something else");
  }
  if (header_.version != kRunVersion) throw Error("run file: version " + std::to_string(header_.version));
  if (header_.order >= std::size(kOrders)) throw Error("run file: unknown order");
  order_ = kOrders[header_.order];
  if (header_.partial_bytes != sizeof(FlowRecord)) throw Error("run file: partials of another size");
  buffer_.reserve(std::max<std::size_t>(std::min<std::uint64_t>(buffered, header_.count), 1));
  fill();
}

void RunReader::fill() {
  const std::size_t count = std::min<std::uint64_t>(buffer_.capacity(), header_.count - read_);
  buffer_.resize(count);
  at_ = 0;
  if (count == 0) {
    head_ = nullptr;
    char beyond;
    if (file_->read(&beyond, 1, sizeof(RunHeader) + read_ * sizeof(FlowRecord)) != 0) {
      throw Error("run file: longer than its header says: it was damaged");
    }
    if (checksum_.value() != header_.checksum) throw Error("run file: the checksum is wrong: it was damaged");
    return;
  }
  const std::size_t bytes = count * sizeof(FlowRecord);
  if (file_->read(buffer_.data(), bytes, sizeof(RunHeader) + read_ * sizeof(FlowRecord)) != bytes) {
    throw Error("run file: cut short");
  }
  checksum_.add(buffer_.data(), bytes);
  read_ += count;
  head_ = buffer_.data();
}

void RunReader::advance() {
  const FlowRecord before = *head_;
  if (++at_ < buffer_.size()) head_ = &buffer_[at_];
  else fill();
  if (head_ && order_(before, *head_) > 0) throw Error("run file: out of order: it was damaged");
}

}  // namespace warpmeter
