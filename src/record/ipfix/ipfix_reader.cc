#include "record/ipfix/ipfix_reader.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/byte_order.h"
#include "core/ipfix_header.h"
#include "record/ipfix/record_shape.h"

namespace warpmeter::inline record {
namespace {

// More than any exporter has; what a file can make us keep is bounded by these.
constexpr std::size_t kMostTemplates = std::size_t{1} << 20;
constexpr std::size_t kMostLayouts = 4'096;
constexpr std::size_t kMostLayoutFields = std::size_t{1} << 20;

std::uint64_t template_key(std::uint32_t domain, std::uint16_t id) { return std::uint64_t{domain} << 16 | id; }

std::uint64_t kind_key(std::uint32_t domain, bool options) { return std::uint64_t{domain} << 1 | options; }

std::string layout_key(const std::vector<FieldSpecifier>& fields) {
  std::string key;
  key.reserve(fields.size() * 8);
  for (const FieldSpecifier& field : fields) {
    for (int shift = 0; shift < 32; shift += 8) key += static_cast<char>(field.enterprise >> shift);
    for (int shift = 0; shift < 16; shift += 8) key += static_cast<char>(field.number >> shift);
    for (int shift = 0; shift < 16; shift += 8) key += static_cast<char>(field.length >> shift);
  }
  return key;
}

// Octets of the record at `body`, nothing if the Set ends within.
std::optional<std::size_t> record_size(const std::vector<FieldSpecifier>& fields, const std::uint8_t* body,
                                       std::size_t size) {
  std::size_t at = 0;
  for (const FieldSpecifier& field : fields) {
    std::size_t length = field.length;
    if (length == kVariableLength) {  // RFC 7011, section 7
      if (at + 1 > size) return std::nullopt;
      length = body[at++];
      if (length == 255) {
        if (at + 2 > size) return std::nullopt;
        length = load_be16(body + at);
        at += 2;
      }
    }
    at += length;
    if (at > size) return std::nullopt;
  }
  return at;
}

constexpr Slot text_slot(std::size_t i) {
  return slot_of(static_cast<FlowField>(static_cast<std::size_t>(FlowField::first_text) + i));
}

constexpr Slot own_slot(std::size_t i) {
  return slot_of(static_cast<FlowField>(static_cast<std::size_t>(FlowField::first_own_text) + i));
}

// RFC 5610: what type information says of an element.
constexpr std::uint16_t kElementNumber = 303, kElementName = 341, kElementEnterprise = 346;

std::uint64_t number_of(std::string_view octets) {
  std::uint64_t number = 0;
  for (const char octet : octets) number = number << 8 | static_cast<std::uint8_t>(octet);
  return number;
}

// The next field of a whole record, behind which this moves `at`.
std::string_view next_value(const FieldSpecifier& field, const std::uint8_t*& at) {
  std::size_t length = field.length;
  if (length == kVariableLength) {
    length = *at++;
    if (length == 255) length = load_be16(at), at += 2;
  }
  at += length;
  return {reinterpret_cast<const char*>(at - length), length};
}

// Of a field of variable length.
std::string_view text_of(const DecodedRecord& record, Slot slot) {
  return {reinterpret_cast<const char*>(record.octets(slot)), record.number(slot)};
}

// Those of a basicList (RFC 6313, section 4.5.1), up to where it makes no sense.
template <class Take>
void for_each_text(std::string_view list, Take take) {
  constexpr std::size_t kHeader = 5, kEnterprise = 4;
  const auto number_at = [&](std::size_t at) {
    return load_be16(reinterpret_cast<const std::uint8_t*>(list.data()) + at);
  };
  if (list.size() < kHeader) return;
  const std::uint16_t length = number_at(3);
  std::size_t at = kHeader + (number_at(1) & 0x8000 ? kEnterprise : 0);
  while (at < list.size() && length > 0) {
    std::size_t octets = length;
    if (length == kVariableLength) {
      octets = static_cast<std::uint8_t>(list[at++]);
      if (octets == 255 && list.size() - at < 2) return;
      if (octets == 255) octets = number_at(at), at += 2;
    }
    if (octets > list.size() - at) return;
    take(list.substr(at, octets));
    at += octets;
  }
}

}  // namespace

std::unique_ptr<RecordReader> make_ipfix_reader(const std::string& path) { return std::make_unique<IpfixReader>(path); }

IpfixReader::IpfixReader(const std::string& path) : messages_(path) {}

bool IpfixReader::next(Biflow& flow) {
  while (left_ > 0 || next_flows()) {
    --left_;
    const DecodedRecord& record = decoder_.next();
    if (!layout_->plan.read(record, context_, flow)) {
      note_damage(message_.offset, "a flow has a count of 2^63 or more, skipped");
      continue;
    }
    note_flow(flow);
    noted_.clear();
    annotations_ = &noted_;
    if (layout_->has_labels) take_annotations(record);
    layout_->plan.read_annexes(record, flow.has_reverse, noted_);
    return true;
  }
  finish();
  return false;
}

// Reads on until a Set with flows has been begun; false at the end.
bool IpfixReader::next_flows() {
  std::uint16_t id;
  const std::uint8_t* body;
  std::size_t size;
  while (next_set(id, body, size)) {
    if (id == kTemplateSet || id == kOptionsTemplateSet) {
      learn_templates(body, size, id == kOptionsTemplateSet);
    } else if (id < kFirstTemplateId) {
      note_damage(message_.offset, "Set " + std::to_string(id) + ": not a number for Sets, skipped");
    } else if (begin_data_set(id, body, size)) {
      return true;
    }
  }
  return false;
}

// Without its header.
bool IpfixReader::next_set(std::uint16_t& id, const std::uint8_t*& body, std::size_t& size) {
  while (true) {
    const std::size_t left = message_.size - at_;
    if (left >= kSetHeader) {
      const std::uint8_t* const set = message_.bytes + at_;
      id = load_be16(set);
      const std::size_t length = load_be16(set + 2);
      if (length >= kSetHeader && length <= left) {
        body = set + kSetHeader;
        size = length - kSetHeader;
        at_ += length;
        return true;
      }
      note_damage(message_.offset, "a Set of " + std::to_string(length) + " octets where its message has " +
                                       std::to_string(left) + " left, the rest of the message skipped");
    } else if (left > 0) {
      note_damage(message_.offset, "a Set Header is cut short by the end of its message");
    }
    if (!messages_.next(message_)) {
      message_ = {};
      at_ = 0;
      return false;
    }
    at_ = kMessageHeader;
  }
}

void IpfixReader::learn_templates(const std::uint8_t* body, std::size_t size, bool options) {
  std::optional<std::string> problem;
  for (const TemplateRecord& record : read_template_set(body, size, options, problem)) learn_template(record);
  if (problem) note_damage(message_.offset, *problem);
}

void IpfixReader::learn_template(const TemplateRecord& record) {
  if (!record.problem.empty()) note_damage(message_.offset, record.problem + ", skipped");
  if (record.id < kFirstTemplateId) {
    if (record.withdrawal && record.problem.empty()) forget_templates(record.options);
    return;
  }
  const std::uint64_t key = template_key(message_.domain, record.id);
  templates_.erase(key);
  if (record.withdrawal) return;
  if (templates_.size() >= kMostTemplates) {
    note_damage(message_.offset, "more than " + std::to_string(kMostTemplates) + " Templates");
    return;
  }
  Layout* layout = record.fields.empty() ? nullptr : layout_of(record.fields);
  templates_[key] = {layout, record.options, ++learned_};
  if (!layout || record.options || !layout->plan.is_flow()) return;
  seen_.vlan |= layout->plan.has_vlan();
  seen_.biflow |= layout->plan.has_reverse();
  if (layout->has_labels) know_annotations(*layout);
  add_annotation_columns(seen_.extra, layout->plan.annexes());
  if (layout->plan.is_own()) absent_own_ = absent_own_.value_or(~0u) & layout->plan.absent();
}

// All of the message's Observation Domain (RFC 7011, section 8.1). They stay where they are, so that the time this
// takes does not grow with their number.
void IpfixReader::forget_templates(bool options) {
  const std::uint64_t kind = kind_key(message_.domain, options);
  if (forgotten_.size() < kMostTemplates || forgotten_.contains(kind)) forgotten_[kind] = learned_;
  else note_damage(message_.offset, "Templates withdrawn in more Observation Domains than can be kept");
}

// Null if the file does not define it, or not any more.
const IpfixReader::Template* IpfixReader::template_of(std::uint16_t id) const {
  const auto found = templates_.find(template_key(message_.domain, id));
  if (found == templates_.end()) return nullptr;
  const auto forgotten = forgotten_.find(kind_key(message_.domain, found->second.options));
  return forgotten != forgotten_.end() && found->second.number <= forgotten->second ? nullptr : &found->second;
}

// Null if there are too many.
IpfixReader::Layout* IpfixReader::layout_of(const std::vector<FieldSpecifier>& fields) {
  std::string key = layout_key(fields);
  const auto known = layouts_.find(key);
  if (known != layouts_.end()) return known->second.get();
  if (layouts_.size() == kMostLayouts || layout_fields_ + fields.size() > kMostLayoutFields) {
    note_damage(message_.offset, "more different Templates than can be kept, one skipped");
    return nullptr;
  }
  FieldSet has;
  const std::size_t number = decoder_.add_template(fields, has);
  auto layout =
      std::make_unique<Layout>(Layout{number, FlowPlan(has), has[slot_of(FlowField::system_init_ms)], fields});
  layout->known = has;
  layout->tells_names = std::ranges::any_of(
      fields, [](const FieldSpecifier& field) { return field.enterprise == 0 && field.number == kElementName; });
  layout->has_labels = has[slot_of(FlowField::application_name)] || has[slot_of(FlowField::application_name_list)];
  for (const FieldSpecifier& field : fields) {
    layout->variable |= field.length == kVariableLength;
    layout->shortest += field.length == kVariableLength ? 1 : field.length;
  }
  layout_fields_ += fields.size();
  return layouts_.emplace(std::move(key), std::move(layout)).first->second.get();
}

// Tells of what is behind them and is not padding.
IpfixReader::Whole IpfixReader::whole_records(const Layout& layout, std::uint16_t id, const std::uint8_t* body,
                                              std::size_t size) {
  Whole whole{size / layout.shortest, size - size % layout.shortest};
  if (layout.variable) {
    whole = {0, 0};
    while (size - whole.octets >= layout.shortest) {
      const auto record = record_size(layout.fields, body + whole.octets, size - whole.octets);
      if (!record) break;
      ++whole.count;
      whole.octets += *record;
    }
  }
  if (!std::all_of(body + whole.octets, body + size, [](std::uint8_t octet) { return octet == 0; })) {
    note_damage(message_.offset, "a Data Record of Template " + std::to_string(id) + " is cut short by its Set");
  }
  return whole;
}

// True if it has flows.
bool IpfixReader::begin_data_set(std::uint16_t id, const std::uint8_t* body, std::size_t size) {
  const Template* const found = template_of(id);
  if (!found) {
    note_damage(message_.offset,
                "Data Set for Template " + std::to_string(id) + ", which the file does not define, skipped");
    return false;
  }
  if (!found->layout) return false;
  const Layout& layout = *found->layout;
  const Whole whole = whole_records(layout, id, body, size);
  if (whole.count == 0) return false;
  if (!found->options && layout.plan.is_flow()) return begin_flows(layout, body, whole);
  if (!found->options) no_flows_ += whole.count;
  if (found->options && layout.tells_names) learn_names(layout, body, whole);
  if (layout.tells_system_init) learn_system_init(layout, body, whole);
  return false;
}

bool IpfixReader::begin_flows(const Layout& layout, const std::uint8_t* body, const Whole& whole) {
  decoder_.begin(layout.number, body);
  layout_ = &layout;
  left_ = whole.count;
  context_.export_time = message_.export_time;
  const auto init = system_init_ms_.find(message_.domain);
  context_.system_init_ms.reset();
  if (init != system_init_ms_.end()) context_.system_init_ms = init->second;
  return true;
}

void IpfixReader::learn_system_init(const Layout& layout, const std::uint8_t* body, const Whole& whole) {
  decoder_.begin(layout.number, body);
  std::uint64_t system_init_ms = 0;
  for (std::size_t i = 0; i < whole.count; ++i) system_init_ms = decoder_.next().number(FlowField::system_init_ms);
  if (system_init_ms_.size() < kMostTemplates) system_init_ms_[message_.domain] = system_init_ms;
}

// The elements of an output's own have the names of its columns.
void IpfixReader::learn_names(const Layout& layout, const std::uint8_t* body, const Whole& whole) {
  for (std::size_t i = 0; i < whole.count; ++i) {
    std::uint64_t enterprise = 0, number = 0;
    std::string_view name;
    for (const FieldSpecifier& field : layout.fields) {
      const std::string_view value = next_value(field, body);
      if (field.enterprise != 0) continue;
      if (field.number == kElementEnterprise) enterprise = number_of(value);
      if (field.number == kElementNumber) number = number_of(value);
      if (field.number == kElementName) name = value;
    }
    if (enterprise != kOwnNumber || number < kFirstOwnText || number >= kFirstOwnText + kMostOwnTexts) continue;
    own_names_[number - kFirstOwnText] = name;
  }
}

// Those that `extract --policy` exports, or whoever has the same elements.
// Columns stand as in the Template.
void IpfixReader::know_annotations(const Layout& layout) {
  noted_columns_.add(kLabelsName);
  for (const FieldSpecifier& field : layout.fields) {
    for (std::size_t i = 0; i < std::size(kFieldElements); ++i) {
      const TextElement& element = kFieldElements[i];
      const bool is_it = element.enterprise == field.enterprise && element.number == field.number;
      if (is_it && layout.known[text_slot(i)]) noted_columns_.add(element.column);
    }
    const std::size_t own = std::size_t{field.number} - kFirstOwnText;  // large if it is none
    if (field.enterprise == kOwnNumber && own < kMostOwnTexts && layout.known[own_slot(own)]) {
      noted_columns_.add(own_names_[own]);
    }
  }
  add_annotation_columns(seen_.extra, noted_columns_.columns());
}

void IpfixReader::take_annotations(const DecodedRecord& record) {
  const auto note = [this](std::string_view column, std::string_view text) {
    if (text.empty()) return;
    if (const auto number = noted_columns_.add(column)) noted_columns_.note(noted_, *number, text);
  };
  note(kLabelsName, text_of(record, slot_of(FlowField::application_name)));
  for_each_text(text_of(record, slot_of(FlowField::application_name_list)),
                [&](std::string_view label) { note(kLabelsName, label); });
  for (std::size_t i = 0; i < std::size(kFieldElements); ++i) {
    note(kFieldElements[i].column, text_of(record, text_slot(i)));
  }
  for (std::size_t i = 0; i < kMostOwnTexts; ++i) note(own_names_[i], text_of(record, own_slot(i)));
}

void IpfixReader::note_flow(const Biflow& flow) {
  const std::uint32_t absent = flow.forward.absent & (flow.has_reverse ? flow.reverse.absent : ~0u);
  (flow.forward.key.protocol == kProtocolTcp ? absent_tcp_ : absent_other_) &= absent;
}

// What only TCP has is not absent because there is no TCP; what our exporter leaves out, its Templates tell before.
RecordLayout IpfixReader::layout() const {
  constexpr std::uint32_t kNone = ~0u, kTcp = tcp_columns();
  const std::uint32_t own = absent_own_.value_or(0);
  RecordLayout layout = seen_;
  if (absent_tcp_ != kNone) layout.absent = absent_tcp_ & (absent_other_ | kTcp);
  else layout.absent = absent_other_ == kNone ? own : (absent_other_ & ~kTcp) | (own & kTcp);
  return layout;
}

void IpfixReader::note_damage(std::uint64_t offset, std::string reason) {
  if (damages_++ == 0) damage_ = ReadDamage{offset, std::move(reason)};
}

void IpfixReader::finish() {
  if (finished_) return;
  finished_ = true;
  if (damages_ > 1) damage_->reason += "; and " + std::to_string(damages_ - 1) + " more";
  const auto& end = messages_.damage();
  if (!end) return;
  if (damage_) {
    damage_->reason += "; from byte " + std::to_string(end->offset) + " on not read: " + end->reason;
  } else {
    damage_ = end;
  }
}

}  // namespace warpmeter::inline record
