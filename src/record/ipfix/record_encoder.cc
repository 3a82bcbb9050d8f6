#include "record/ipfix/record_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/byte_order.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/message_builder.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {
namespace {

constexpr std::uint8_t kInitiator = 1;  // RFC 5103, section 6.3

template <class T>
void store(std::uint8_t* to, T network_order) {
  std::memcpy(to, &network_order, sizeof network_order);
}

template <std::size_t kOctets>
void copy(std::uint8_t* to, const std::uint8_t* from) {
  std::memcpy(to, from, kOctets);
}

// A record, and the values of all its columns, 0 where one does not apply: got at once, since each on its own takes a
// call.
struct Values {
  explicit Values(const FlowRecord& from) : record(reinterpret_cast<const std::uint8_t*>(&from)) {
    for_each_column(
        from, 0, [this](auto column, std::optional<std::int64_t> value) __attribute__((always_inline)) {
          columns[column] = static_cast<std::uint64_t>(value.value_or(0));
        });
  }
  const std::uint8_t* record;
  std::array<std::uint64_t, kColumns.size()> columns;
};

std::uint8_t* write(FieldKind kind, std::uint16_t at, const Values& values, const ObservedPoints::Place& place,
                    std::uint8_t* to) {
  const std::uint8_t* from = values.record + at;
  const auto number = [&] { return values.columns[at]; };
  switch (kind) {
    case FieldKind::copy1: *to = *from; break;
    case FieldKind::copy2: copy<2>(to, from); break;
    case FieldKind::copy4: copy<4>(to, from); break;
    case FieldKind::copy16: copy<16>(to, from); break;
    case FieldKind::milliseconds: store(to, byte_swap(milliseconds_of(load<std::int64_t>(from)))); break;
    case FieldKind::ntp: store(to, byte_swap(ntp_of(load<std::int64_t>(from)))); break;
    case FieldKind::number1: *to = static_cast<std::uint8_t>(number()); break;
    case FieldKind::number4: store(to, byte_swap(static_cast<std::uint32_t>(number()))); break;
    case FieldKind::number8: store(to, byte_swap(number())); break;
    case FieldKind::capped4:
      store(to, byte_swap(static_cast<std::uint32_t>(std::min<std::uint64_t>(number(), UINT32_MAX))));
      break;
    case FieldKind::initiator: *to = kInitiator; break;
    case FieldKind::interface: store(to, byte_swap(place.point ? place.point->interface : std::uint32_t{0})); break;
    case FieldKind::direction: *to = place.egress ? 1 : 0; break;
    case FieldKind::added8:
    case FieldKind::text:
    case FieldKind::only_label:
    case FieldKind::labels:
    case FieldKind::label_number: return to;  // no steps
    default: return to;                       // nor are those of annexes
  }
  return to + length_of(kind);
}

// Of a value of variable length: one octet, or 255 and two (RFC 7011, section 7).
void append_length(std::vector<std::uint8_t>& to, std::size_t length) {
  if (length >= 255) {
    to.push_back(255);
    to.push_back(static_cast<std::uint8_t>(length >> 8));
  }
  to.push_back(static_cast<std::uint8_t>(length));
}

// Of which `room` octets are left, as much as fits. False: not all.
bool append_text(std::vector<std::uint8_t>& to, std::string_view text, std::size_t& room) {
  const bool fits = text.size() <= room;
  text = text.substr(0, room);
  append_length(to, text.size());
  to.insert(to.end(), text.begin(), text.end());
  room -= text.size();
  return fits;
}

// RFC 6313, section 4.5.1: the semantic, the element of all values, its length, and the values.
bool append_list(std::vector<std::uint8_t>& to, const std::vector<std::string_view>& texts, std::size_t& room) {
  constexpr std::uint8_t kAllOf = 3, kUndefined = 255;  // IANA: structured data types semantics
  std::vector<std::uint8_t> values;
  bool fit = true;
  for (const std::string_view text : texts) {
    fit = fit && text.size() + 1 <= room;
    if (text.size() + 1 > room) continue;
    room -= 1;
    append_text(values, text, room);
  }
  append_length(to, 5 + values.size());
  to.push_back(texts.empty() ? kUndefined : kAllOf);
  to.insert(to.end(), {kApplicationName.number >> 8, kApplicationName.number & 255, 255, 255});
  to.insert(to.end(), values.begin(), values.end());
  return fit;
}

void append_number(std::vector<std::uint8_t>& to, std::uint64_t value, std::size_t octets) {
  while (octets-- > 0) to.push_back(static_cast<std::uint8_t>(value >> 8 * octets));
}

// An IPv4 address as one of IPv6 that it is mapped to (RFC 4291, section 2.5.5.2).
void append_address(std::vector<std::uint8_t>& to, const std::uint8_t (&address)[16], std::uint8_t version) {
  constexpr std::uint8_t kMapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  if (version == 4) to.insert(to.end(), std::begin(kMapped), std::end(kMapped));
  to.insert(to.end(), address, address + (version == 4 ? 4 : 16));
}

// `wanted`: fields that the Template has.
void append_annex(std::vector<std::uint8_t>& to, FieldKind kind, AnnexField field, const Annex* found,
                  std::uint32_t wanted) {
  constexpr int kBehindLabel = 4;
  static constexpr Annex kNone{};
  const Annex& annex = found ? *found : kNone;
  char text[facts_of(AnnexField::syn_options).text];
  switch (kind) {
    case FieldKind::annex_fields: return append_number(to, annex.has & wanted, 4);
    case FieldKind::annex3: return append_number(to, std::uint64_t{annex.mpls_label} << kBehindLabel, 3);
    case FieldKind::annex6: {
      const auto& mac = field == AnnexField::src_mac ? annex.src_mac : annex.dst_mac;
      to.insert(to.end(), std::begin(mac), std::end(mac));
      return;
    }
    case FieldKind::annex16:
      return append_address(to, field == AnnexField::outer_src_addr ? annex.outer_src : annex.outer_dst,
                            annex.outer_version);
    case FieldKind::annex_text: {
      const std::string_view options(text, static_cast<std::size_t>(annex.write(text, field) - text));
      append_length(to, options.size());
      to.insert(to.end(), options.begin(), options.end());
      return;
    }
    default:
      return append_number(
          to, field == AnnexField::tunnel ? annex.tunnel : static_cast<std::uint64_t>(annex.number(field).value_or(0)),
          length_of(kind));
  }
}

}  // namespace

RecordEncoder::RecordEncoder(const Fields& fields, const ObservedPoints* observed, const ExtraColumns& extra)
    : observed_(observed) {
  for (const TemplateField& field : fields) {
    if (is_noted(field.kind)) {
      const ExtraColumn& column = *extra[field.at];
      const std::optional<AnnexField> annex = column.annex();
      if (annex) annexes_[column.is_reverse()] |= bit_of(*annex);
      if (annex) room_ -= field.kind == FieldKind::annex_text ? column.most() + 1 : length_of(field.kind);
      noted_.push_back(
          {field.kind, annex ? static_cast<std::uint32_t>(*annex) : *column.annotation(), column.is_reverse()});
      continue;
    }
    if (field.kind == FieldKind::added8) added_.push_back(extra[field.at]);
    else steps_.push_back({field.kind, field.of_reverse, field.at});
    length_ += length_of(field.kind);
  }
}

bool RecordEncoder::encode_noted(const Annotations& noted, std::vector<std::uint8_t>& to) const {
  std::size_t room = room_;
  bool fit = true;
  for (const Noted& field : noted_) {
    if (field.kind == FieldKind::text) {
      fit &= append_text(to, noted.first_of(field.annotation), room);
      continue;
    }
    if (field.kind >= FieldKind::annex1) {
      append_annex(to, field.kind, static_cast<AnnexField>(field.annotation), noted.annex(field.reverse),
                   annexes_[field.reverse]);
      continue;
    }
    const std::vector<std::string_view> all = noted.list_of(field.annotation);
    if (field.kind == FieldKind::label_number) {
      const std::uint16_t number = application_label(all);
      to.insert(to.end(), {static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)});
      continue;
    }
    if (field.kind == FieldKind::only_label)
      fit &= append_text(to, all.size() == 1 ? all[0] : std::string_view(), room);
    else fit &= append_list(to, all.size() == 1 ? std::vector<std::string_view>() : all, room);
  }
  return fit;
}

void RecordEncoder::encode(const FlowRecord& record, const FlowRecord* reverse, std::uint8_t* to) const {
  const Values values(record);
  std::optional<Values> of_reverse;
  if (reverse) of_reverse.emplace(*reverse);
  ObservedPoints::Place place{};
  if (observed_) place = observed_->of(record.arrival);
  for (const Step& step : steps_) to = write(step.kind, step.at, step.of_reverse ? *of_reverse : values, place, to);
  for (const auto& column : added_) {
    store(to, byte_swap(static_cast<std::uint64_t>(column->number(record, reverse).value_or(0))));
    to += length_of(FieldKind::added8);
  }
}

UsualTemplates::UsualTemplates(const ShapeRules& rules, std::uint16_t first_id,
                               std::shared_ptr<std::atomic<std::uint64_t>> cut)
    : rules_(rules), cut_(std::move(cut)) {
  const std::vector<RecordShape> shapes = rules.usual_shapes();
  templates_.reserve(shapes.size());  // by_number_ points there
  for (const RecordShape& shape : shapes) {
    const auto id = static_cast<std::uint16_t>(first_id + templates_.size());
    definitions_.push_back({id, rules.fields_of(shape)});
    templates_.push_back({id, RecordEncoder(definitions_.back().fields, rules.observed(), rules.extra())});
    by_number_[number_of(shape)] = &templates_.back();
  }
}

void EncodedSection::write_annotated(const FlowRecord& record, const FlowRecord* reverse,
                                     const Annotations& annotations) {
  const KnownTemplate* known = templates_.find(templates_.shape_of(record, reverse));
  entries_.push_back({known, record.end_ns, 0, reverse != nullptr, !annotations.empty()});
  if (known) {
    const std::size_t before = octets_.size();
    octets_.resize(before + known->encoder.length());
    known->encoder.encode(record, reverse, &octets_[before]);
    if (known->encoder.has_noted()) templates_.encode_noted(known->encoder, annotations, octets_);
    entries_.back().octets = static_cast<std::uint32_t>(octets_.size() - before);
  } else {
    whole_.push_back(record);
    if (reverse) whole_.push_back(*reverse);
    if (!annotations.empty()) noted_.push_back(annotations);
  }
}

std::size_t EncodedSection::bytes() const {
  return (entries_.size() - taken_.entry) * sizeof(Entry) + (octets_.size() - taken_.octet) +
         (whole_.size() - taken_.whole) * sizeof(FlowRecord);
}

void EncodedSection::clear() {
  entries_.clear();
  octets_.clear();
  whole_.clear();
  noted_.clear();
  taken_ = {};
}

}  // namespace warpmeter::inline record
