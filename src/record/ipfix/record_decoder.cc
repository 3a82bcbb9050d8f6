#include "record/ipfix/record_decoder.h"

#include <algorithm>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kAddress = 16;
constexpr std::uint8_t kZeros[kAddress] = {};

// REQUIRES: at most 8 octets.
std::uint64_t number_at(const std::uint8_t* at, std::size_t octets) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < octets; ++i) number = number << 8 | at[i];
  return number;
}

// Of a value of variable length, behind its own length, to which this moves `at`.
std::size_t variable_length(const std::uint8_t*& at) {
  const std::size_t length = *at++;
  if (length != 255) return length;
  at += 2;
  return load_be16(at - 2);
}

}  // namespace

void DecodedRecord::clear() {
  numbers_.fill(0);
  octets_.fill(kZeros);
}

std::size_t RecordDecoder::add_template(const std::vector<FieldSpecifier>& fields, FieldSet& known) {
  Steps steps;
  std::size_t skip = 0;
  for (const FieldSpecifier& field : fields) {
    const Slot slot = fields_.find(field);
    if (slot != kNoSlot && !known[slot]) {
      known.set(slot);
      // Numbers that are longer than their type have zeros in front.
      const std::uint16_t length = std::min(field.length, fields_.element(slot)->len);  // or kVariableLength, both
      steps.push_back({skip + field.length - length, length, slot});
      skip = 0;
    } else if (field.length == kVariableLength) {
      steps.push_back({skip, kVariableLength});
      skip = 0;
    } else {
      skip += field.length;
    }
  }
  if (skip) steps.push_back({skip});
  templates_.push_back(std::move(steps));
  return templates_.size() - 1;
}

void RecordDecoder::begin(std::size_t number, const std::uint8_t* records) {
  if (number != number_) record_.clear();
  number_ = number;
  at_ = records;
}

const DecodedRecord& RecordDecoder::next() {
  for (const Step& step : templates_[number_]) {
    at_ += step.skip;
    std::size_t length = step.length;
    if (length == kVariableLength) {
      length = variable_length(at_);
      if (step.slot != kNoSlot) {
        record_.octets_[step.slot] = at_;
        record_.numbers_[step.slot] = length;
      }
    } else if (length == kAddress) record_.octets_[step.slot] = at_;
    else if (step.slot != kNoSlot) record_.numbers_[step.slot] = number_at(at_, length);
    at_ += length;
  }
  return record_;
}

}  // namespace warpmeter::inline record
