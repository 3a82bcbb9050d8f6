#include "record/ipfix/record_decoder.h"

#include <algorithm>
#include <cstring>

#include "core/byte_order.h"
#include "core/ipfix_header.h"
#include "record/ipfix/info_model.h"

namespace warpmeter::inline record {
namespace {

// Elements to skip are of an enterprise that there cannot be, and all different: libfixbuf takes quadratic time for
// those that appear more than once in a Template.
constexpr std::uint32_t kNobody = 0xffffffff;
constexpr std::size_t kLongestSkip = kVariableLength - 1;

fbInfoElement_t element_of(std::uint32_t enterprise, std::uint16_t number, std::uint16_t length) {
  fbInfoElement_t element{};
  element.ent = enterprise;
  element.num = number;
  element.len = length;
  return element;
}

}  // namespace

std::uint64_t DecodedRecord::number(Slot slot) const {
  const std::uint8_t* at = octets(slot);
  switch ((*places_)[slot].length) {
    case 1: return *at;
    case 2: return load<std::uint16_t>(at);
    case 4: return load<std::uint32_t>(at);
    case 8: return load<std::uint64_t>(at);
    default: return 0;
  }
}

RecordDecoder::RecordDecoder() : fields_(model_) {
  buffer_.reset(fBufAllocForCollection(fbSessionAlloc(model_.get()), nullptr));
  fBufSetAutomaticMode(buffer_.get(), false);
  std::size_t longest = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (const fbInfoElement_t* element = fields_.element(static_cast<Slot>(slot))) longest += element->len;
  }
  record_.bytes_.resize(DecodedRecord::kZeros + longest);
}

fbTemplate_t* RecordDecoder::make_template(const std::vector<fbInfoElement_t>& elements) {
  fbTemplate_t* made = fbTemplateAlloc(model_.get());
  for (fbInfoElement_t element : elements) {
    FixbufError error;
    const bool done = fbTemplateAppend(made, &element, &error);
    if (!done) fbTemplateFreeUnused(made);
    error.check(done, "make a Template");
  }
  return made;
}

void RecordDecoder::add_to_session(bool internal, std::uint16_t number, const std::vector<fbInfoElement_t>& elements) {
  FixbufError error;
  fbSession_t* session = fBufGetSession(buffer_.get());
  error.check(fbSessionAddTemplate(session, internal, number, make_template(elements), &error) != 0, "add a Template");
}

// libfixbuf is told what records look like (external) and what we want of them (internal): fields of flows, in the
// lengths of their types.
std::uint16_t RecordDecoder::add_template(const std::vector<FieldSpecifier>& fields, FieldSet& known) {
  std::vector<fbInfoElement_t> elements, wanted;
  DecodedRecord::Places places{};
  std::size_t offset = DecodedRecord::kZeros;
  std::uint16_t skips = 0;
  bool skipping = false;  // the last element is a skip of fixed length
  const auto skip = [&](std::uint16_t length) {
    if (length == 0) return;
    if (skipping && length != kVariableLength && elements.back().len + length <= kLongestSkip) {
      elements.back().len = static_cast<std::uint16_t>(elements.back().len + length);
      return;
    }
    elements.push_back(element_of(kNobody, ++skips, length));
    skipping = length != kVariableLength;
  };
  for (const FieldSpecifier& field : fields) {
    const Slot slot = fields_.find(field);
    if (slot == kNoSlot || known[slot]) {
      skip(field.length);
      continue;
    }
    known.set(slot);
    // libfixbuf warns of numbers that are longer than their type: those have zeros in front.
    const std::uint16_t length = std::min(field.length, fields_.element(slot)->len);
    skip(static_cast<std::uint16_t>(field.length - length));
    elements.push_back(element_of(field.enterprise, field.number, length));
    skipping = false;
    wanted.push_back(element_of(field.enterprise, field.number, fields_.element(slot)->len));
    places[slot] = {static_cast<std::uint16_t>(offset), wanted.back().len};
    offset += wanted.back().len;
  }
  const auto number = static_cast<std::uint16_t>(kFirstTemplateId + places_.size());
  add_to_session(false, number, elements);
  add_to_session(true, number, wanted);
  places_.push_back(places);
  return number;
}

void RecordDecoder::mark(std::uint8_t* set, std::uint16_t number) { store_be16(set, number); }

void RecordDecoder::begin(std::uint8_t* sets, std::size_t size) {
  std::uint8_t* header = sets - kMessageHeader;
  store_be16(header, kIpfixVersion);
  store_be16(header + 2, static_cast<std::uint16_t>(kMessageHeader + size));
  store_be32(header + 4, 0);
  store_be32(header + 8, records_);
  store_be32(header + 12, 0);  // one Observation Domain is enough: our Templates have numbers of their own
  fBufSetBuffer(buffer_.get(), header, kMessageHeader + size);
}

bool RecordDecoder::read_on(GError** error) {
  std::size_t size = record_.bytes_.size() - DecodedRecord::kZeros;
  return fBufNext(buffer_.get(), record_.bytes_.data() + DecodedRecord::kZeros, &size, error);
}

const DecodedRecord& RecordDecoder::next(std::uint16_t number) {
  FixbufError error;
  if (number != number_) {
    error.check(fBufSetInternalTemplate(buffer_.get(), number, &error), "choose the fields of flows");
    record_.places_ = &places_[number - kFirstTemplateId];
    number_ = number;
  }
  error.check(read_on(&error), "read a Data Record");
  ++records_;
  return record_;
}

void RecordDecoder::end() {
  FixbufError error;
  const bool more = read_on(&error);
  error.check(!more && g_error_matches(error.get(), FB_ERROR_DOMAIN, FB_ERROR_EOM), "find the end of a message");
}

}  // namespace warpmeter::inline record
