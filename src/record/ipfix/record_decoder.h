// Data Records to the fields of flows: byte order, reduced lengths, order of elements (RFC 7011, sections 6 and 7).
//
// Types and lengths of elements are libfixbuf's; what a file holds it never sees: it ends the program for Template
// numbers below 256, never ends for records without an octet, and keeps all elements that it does not know.
//
// Threads: one at a time.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/ipfix/flow_fields.h"
#include "record/ipfix/template_set.h"

namespace warpmeter::inline record {

using FieldSet = std::bitset<kSlots>;

// The fields of one Data Record; those that its Template lacks are 0.
class DecodedRecord {
 public:
  DecodedRecord() { clear(); }

  std::uint64_t number(Slot slot) const { return numbers_[slot]; }
  std::uint64_t number(FlowField field) const { return number(slot_of(field)); }
  // Of an IPv6 address: 16, as long as the Set stays. Of what has a variable length: as many as number() says.
  const std::uint8_t* octets(Slot slot) const { return octets_[slot]; }

 private:
  friend class RecordDecoder;
  void clear();

  std::array<std::uint64_t, kSlots> numbers_;
  std::array<const std::uint8_t*, kSlots> octets_;
};

class RecordDecoder {
 public:
  RecordDecoder() : fields_(model_) {}

  // What records of a Template look like; a number for begin(). REQUIRES: at least one octet in every record. `known`:
  // which fields of flows these records have.
  std::size_t add_template(const std::vector<FieldSpecifier>& fields, FieldSet& known);

  // The records of a Set, the first of which is at `records`. They must stay where they are.
  void begin(std::size_t number, const std::uint8_t* records);
  const DecodedRecord& next();  // REQUIRES: there is another whole record

 private:
  // Octets to pass over, and then a field, or one of variable length (kVariableLength), which without a slot is passed
  // over as well.
  struct Step {
    std::size_t skip;
    std::uint16_t length = 0;
    Slot slot = kNoSlot;
  };
  using Steps = std::vector<Step>;

  InfoModel model_;
  FlowFields fields_;
  std::vector<Steps> templates_;  // by number
  DecodedRecord record_;
  std::size_t number_ = 0;            // of the Template that record_ is of
  const std::uint8_t* at_ = nullptr;  // the next record
};

}  // namespace warpmeter::inline record
