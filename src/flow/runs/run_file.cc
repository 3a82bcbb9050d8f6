#include "flow/runs/run_file.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "core/biflow_key.h"
#include "flow/runs/waiting_record.h"
#include "warpmeter/status.h"

namespace warpmeter::inline flow {
namespace {

constexpr RecordOrder kOrders[] = {arrival_order, output_order, biflow_arrival_order, biflow_output_order,
                                   interval_order};

// More than any file has: beyond, sums of bytes could overflow.
constexpr std::uint64_t kMostPartials = std::uint64_t{1} << 48;

std::uint64_t place_of(std::uint64_t partial) { return sizeof(RunHeader) + partial * sizeof(Partial); }

}  // namespace

std::uint64_t checksum_of(const void* data, std::size_t bytes) { return XXH3_64bits(data, bytes); }

RunWriter::RunWriter(const std::string& folder, RecordOrder order)
    : file_(std::make_unique<TempFile>(folder)), order_(order) {
  block_.reserve(kRunBlock);
  const RunHeader nothing{};
  file_->write(&nothing, sizeof nothing, 0);
}

void RunWriter::write(const Partial& partial) {
  block_.push_back(partial);
  if (block_.size() == kRunBlock) flush();
}

void RunWriter::flush() {
  if (block_.empty()) return;
  const std::size_t bytes = block_.size() * sizeof(Partial);
  checksums_.push_back(checksum_of(block_.data(), bytes));
  file_->write(block_.data(), bytes, place_of(count_));
  count_ += block_.size();
  block_.clear();
}

std::unique_ptr<TempFile> RunWriter::finish() {
  flush();
  const std::size_t bytes = checksums_.size() * sizeof(std::uint64_t);
  file_->write(checksums_.data(), bytes, place_of(count_));
  const auto order = static_cast<std::uint16_t>(std::find(std::begin(kOrders), std::end(kOrders), order_) - kOrders);
  const RunHeader header{kRunMagic, kRunVersion, order, sizeof(Partial), count_, checksum_of(checksums_.data(), bytes)};
  file_->write(&header, sizeof header, 0);
  return std::move(file_);
}

RunFile::RunFile(std::unique_ptr<TempFile> file) : file_(std::move(file)) {
  if (file_->read(&header_, sizeof header_, 0) != sizeof header_ || header_.magic != kRunMagic) {
    throw Error("run file: no magic: it was not finished or is something else");
  }
  if (header_.version != kRunVersion) throw Error("run file: version " + std::to_string(header_.version));
  if (header_.order >= std::size(kOrders)) throw Error("run file: unknown order");
  order_ = kOrders[header_.order];
  if (header_.partial_bytes != sizeof(Partial)) throw Error("run file: partials of another size");
  read_checksums();
}

void RunFile::read_checksums() {
  char last;
  const bool all_there =
      header_.count <= kMostPartials && (header_.count == 0 || file_->read(&last, 1, place_of(header_.count) - 1) == 1);
  if (!all_there) throw Error("run file: cut short");
  checksums_.resize((header_.count + kRunBlock - 1) / kRunBlock);
  const std::size_t bytes = checksums_.size() * sizeof(std::uint64_t);
  if (file_->read(checksums_.data(), bytes, place_of(header_.count)) != bytes) throw Error("run file: cut short");
  if (file_->read(&last, 1, place_of(header_.count) + bytes) != 0) {
    throw Error("run file: longer than its header says: it was damaged");
  }
  if (checksum_of(checksums_.data(), bytes) != header_.checksum) {
    throw Error("run file: the checksum is wrong: it was damaged");
  }
}

Partial RunFile::at(std::uint64_t i) const {
  Partial partial;
  if (file_->read(&partial, sizeof partial, place_of(i)) != sizeof partial) throw Error("run file: cut short");
  return partial;
}

void RunFile::read_block(std::uint64_t number, std::vector<Partial>& block) const {
  const std::uint64_t begin = number * kRunBlock;
  block.resize(std::min(kRunBlock, header_.count - begin));
  const std::size_t bytes = block.size() * sizeof(Partial);
  if (file_->read(block.data(), bytes, place_of(begin)) != bytes) throw Error("run file: cut short");
  if (checksum_of(block.data(), bytes) != checksums_[number]) {
    throw Error("run file: the checksum is wrong: it was damaged");
  }
  for (std::size_t i = 1; i < block.size(); ++i) {
    if (order_(block[i - 1], block[i]) > 0) throw Error("run file: out of order: it was damaged");
  }
}

RunReader::RunReader(std::shared_ptr<const RunFile> file, std::uint64_t begin, std::uint64_t end)
    : file_(std::move(file)), at_(begin), end_(end) {
  if (at_ < end_) file_->read_block(at_ / kRunBlock, block_);
  show();
}

void RunReader::show() { head_ = at_ < end_ ? &block_[at_ % kRunBlock] : nullptr; }

void RunReader::advance() {
  if (++at_ % kRunBlock == 0 && at_ < end_) {
    last_ = block_.back();
    file_->read_block(at_ / kRunBlock, block_);
    if (file_->order()(last_, block_.front()) > 0) throw Error("run file: out of order: it was damaged");
  }
  show();
}

}  // namespace warpmeter::inline flow
