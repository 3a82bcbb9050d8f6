// Data Records to the fields of flows, by libfixbuf: byte order, reduced lengths, order of elements.
//
// libfixbuf trusts what it reads: Template numbers below 256 end the program, records without an octet never end, a Set
// that does not fit ends a message in silence, and all elements that it does not know stay in memory. So messages,
// Templates and the ends of records are read by us (message_reader.h, template_set.h), what is no field of a flow is
// given to libfixbuf as octets to skip, and it sees one Set of whole records at a time. Nothing that a file says makes
// it report an error; if it does all the same, these functions throw Error.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "record/ipfix/flow_fields.h"
#include "record/ipfix/template_set.h"

namespace warpmeter::inline record {

using FieldSet = std::bitset<kSlots>;

// The fields of one Data Record; those that its Template lacks are 0.
class DecodedRecord {
 public:
  std::uint64_t number(Slot slot) const;
  std::uint64_t number(FlowField field) const { return number(slot_of(field)); }
  const std::uint8_t* octets(Slot slot) const { return bytes_.data() + (*places_)[slot].offset; }

 private:
  friend class RecordDecoder;
  static constexpr std::size_t kZeros = 16;  // at the front: where fields are that are not there
  struct Place {
    std::uint16_t offset = 0;
    std::uint16_t length = 0;
  };
  using Places = std::array<Place, kSlots>;

  const Places* places_ = nullptr;
  std::vector<std::uint8_t> bytes_;
};

class RecordDecoder {
 public:
  RecordDecoder();

  // What records of a Template look like; a number for mark() and next(). REQUIRES: at least one octet in every record,
  // fewer than 65,000 calls. `known`: which fields of flows these records have.
  std::uint16_t add_template(const std::vector<FieldSpecifier>& fields, FieldSet& known);

  // Says of what Template the records of a Set are. `set` begins with its header, which is overwritten.
  static void mark(std::uint8_t* set, std::uint16_t number);

  // Begins a row of Sets, each with a header of 4 octets, marked, and at least one record; behind its last record a Set
  // has at most fewer octets than any record of its Template has. Also overwrites the kMessageHeader octets before the
  // first one. The Sets must stay where they are until end().
  void begin(std::uint8_t* sets, std::size_t size);
  const DecodedRecord& next(std::uint16_t number);  // REQUIRES: there is another record, of that Template
  void end();                                       // REQUIRES: next() has been called for all records

 private:
  struct FreeBuffer {
    void operator()(fBuf_t* buffer) const { fBufFree(buffer); }  // and the session with it
  };

  fbTemplate_t* make_template(const std::vector<fbInfoElement_t>& elements);
  void add_to_session(bool internal, std::uint16_t number, const std::vector<fbInfoElement_t>& elements);
  bool read_on(GError** error);

  InfoModel model_;
  FlowFields fields_;
  std::unique_ptr<fBuf_t, FreeBuffer> buffer_;
  DecodedRecord record_;
  std::deque<DecodedRecord::Places> places_;  // by number, from kFirstTemplateId on
  std::uint16_t number_ = 0;                  // of the record that was decoded last
  std::uint32_t records_ = 0;                 // mod 2^32: the Sequence Number that libfixbuf expects next
};

}  // namespace warpmeter::inline record
