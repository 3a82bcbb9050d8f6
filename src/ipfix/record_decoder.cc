#include "ipfix/record_decoder.h"

#include <algorithm>
#include <cstring>

#include "ipfix/fixbuf_error.h"
#include "ipfix/message_header.h"
#include "warpmeter/byte_order.h"

namespace warpmeter {
namespace {

constexpr std::uint16_t kInternalTemplate = 65'535;

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
  switch (places_[slot].length) {
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
  add_internal_template();
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

// One for all: every field has its place, filled with zeros where a Template does not have it.
void RecordDecoder::add_internal_template() {
  std::vector<fbInfoElement_t> elements;
  std::size_t offset = 0;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    const fbInfoElement_t* element = fields_.element(static_cast<Slot>(slot));
    if (!element) continue;
    elements.push_back(element_of(element->ent, element->num, element->len));
    record_.places_[slot] = {static_cast<std::uint16_t>(offset), element->len};
    offset += element->len;
  }
  record_.bytes_.resize(offset);
  FixbufError error;
  error.check(fbSessionAddTemplate(fBufGetSession(buffer_.get()), true, kInternalTemplate, make_template(elements),
                                   &error) != 0 &&
                  fBufSetInternalTemplate(buffer_.get(), kInternalTemplate, &error),
              "set the fields of flows");
}

std::uint16_t RecordDecoder::add_template(const std::vector<FieldSpecifier>& fields, FieldSet& known) {
  std::vector<fbInfoElement_t> elements;
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
  }
  FixbufError error;
  const auto number = static_cast<std::uint16_t>(kFirstTemplateId + templates_++);
  error.check(fbSessionAddTemplate(fBufGetSession(buffer_.get()), false, number, make_template(elements), &error) != 0,
              "add a Template");
  return number;
}

void RecordDecoder::begin(std::uint16_t number, std::uint8_t* set, std::size_t size) {
  store_be16(set, number);
  store_be16(set + 2, kSetHeader + size);
  std::uint8_t* header = set - kMessageHeader;
  const std::size_t message = kMessageHeader + kSetHeader + size;
  store_be16(header, kIpfixVersion);
  store_be16(header + 2, message);
  store_be32(header + 4, 0);
  store_be32(header + 8, records_);
  store_be32(header + 12, 0);  // one Observation Domain is enough: our Templates have numbers of their own
  fBufSetBuffer(buffer_.get(), header, message);
}

const DecodedRecord& RecordDecoder::next() {
  FixbufError error;
  std::size_t size = record_.bytes_.size();
  error.check(fBufNext(buffer_.get(), record_.bytes_.data(), &size, &error), "read a Data Record");
  ++records_;
  return record_;
}

void RecordDecoder::end() {
  FixbufError error;
  std::size_t size = record_.bytes_.size();
  const bool more = fBufNext(buffer_.get(), record_.bytes_.data(), &size, &error);
  error.check(!more && g_error_matches(error.get(), FB_ERROR_DOMAIN, FB_ERROR_EOM), "find the end of a Set");
}

}  // namespace warpmeter
