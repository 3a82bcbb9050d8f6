#include "flow/runs/annotation_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kPlace = offsetof(FlowRecord, packets);
constexpr std::size_t kRoom = offsetof(FlowRecord, first_ns) - kPlace;

// What a part has in the place of counters.
struct Content {
  std::uint64_t sequence;  // where a Flow Record has `packets`, which annotation_order() takes
  std::uint64_t packet;
  std::uint64_t reach_number;
  std::uint32_t column;
  std::uint16_t length;  // of the text in this part
  AnnotationReach::Kind reach;
  bool goes_on;  // in the next part
  char text[kRoom - 32];
};
static_assert(sizeof(Content) == kRoom);

Content content_of(const FlowRecord& part) {
  Content content;
  std::memcpy(&content, reinterpret_cast<const char*>(&part) + kPlace, sizeof content);
  return content;
}

void set_content(FlowRecord& part, const Content& content) {
  std::memcpy(reinterpret_cast<char*>(&part) + kPlace, &content, sizeof content);
}

static_assert(sizeof(Annex) <= sizeof(Content::text));
constexpr std::uint64_t kAnnexes =
    2;  // of a flow and of the other direction: they come first, and between no two parts

bool is_annex(const Content& content) {
  return content.column == Annotation::kAnnex || content.column == Annotation::kReverseAnnex;
}

// Of each direction the first, and the first with a SYN: no other says anything.
class FirstAnnexes {
 public:
  bool take(const Content& content) {
    Annex annex;
    std::memcpy(&annex, content.text, sizeof annex);
    const bool reverse = content.column == Annotation::kReverseAnnex;
    const bool is_first = !std::exchange(has_any_[reverse], true);
    const bool is_first_syn = annex.has_syn() && !std::exchange(has_syn_[reverse], true);
    return is_first || is_first_syn;
  }

 private:
  bool has_any_[2] = {}, has_syn_[2] = {};
};

}  // namespace

void append_parts(std::vector<Partial>& to, const FlowKey& key, const Annotation& annotation,
                  const AnnotationReach& reach, std::uint64_t arrival, std::uint64_t& sequence) {
  std::string_view left = annotation.text;
  do {
    Content content{};
    content.sequence = kAnnexes + sequence++;
    content.packet = annotation.packet;
    content.reach_number = reach.number;
    content.column = annotation.column;
    content.reach = reach.kind;
    content.length = static_cast<std::uint16_t>(std::min(left.size(), sizeof content.text));
    left.copy(content.text, content.length);
    left.remove_prefix(content.length);
    content.goes_on = !left.empty();
    Partial& part = to.emplace_back();
    part.key = key;
    part.arrival = arrival;
    part.flags = kIsAnnotation;
    set_content(part, content);
  } while (!left.empty());
}

Partial annex_part(const FlowRecord& flow, const Annex& annex, std::uint64_t packet, bool reverse) {
  Content content{};
  content.sequence = reverse;
  content.packet = packet;
  content.column = reverse ? Annotation::kReverseAnnex : Annotation::kAnnex;
  content.length = sizeof annex;
  std::memcpy(content.text, &annex, sizeof annex);
  Partial part;
  part.key = flow.key;
  part.arrival = flow.arrival;
  part.flags = kIsAnnotation;
  set_content(part, content);
  return part;
}

void append_behind(std::vector<Partial>& to, const FlowRecord& flow, const Annotations& annotations) {
  const std::size_t before = to.size();
  for (const bool reverse : {false, true}) {
    if (const Annex* const annex = annotations.annex(reverse)) to.push_back(annex_part(flow, *annex, 0, reverse));
  }
  std::uint64_t sequence = 0;
  const std::vector<Annotation>& all = annotations.all();
  for (std::size_t i = 0; i < all.size();) {
    Annotation several = all[i++];
    for (; i < all.size() && all[i].packet == several.packet && all[i].column == several.column; ++i) {
      (several.text += ',') += all[i].text;
    }
    append_parts(to, flow.key, several, {}, flow.arrival, sequence);
  }
  for (std::size_t i = before; i < to.size(); ++i) {
    to[i].start_ns = flow.start_ns;
    to[i].end_ns = flow.end_ns;
  }
}

void add_part(Annotations& to, const FlowRecord& part) {
  const Content content = content_of(part);
  to.add_text(content.packet, content.column, {content.text, content.length}, content.goes_on);
}

AnnotationReach reach_of(const FlowRecord& part) {
  const Content content = content_of(part);
  return {content.reach, content.reach_number};
}

FlowRecord brought_by(std::uint64_t packet, FlowRecord part) {
  Content content = content_of(part);
  content.packet = packet;
  set_content(part, content);
  return part;
}

bool goes_on(const FlowRecord& part) { return content_of(part).goes_on; }

void PartsBehind::add(const FlowRecord& part) { parts_.push_back(part); }

const FlowRecord* PartsBehind::next() { return given_ < parts_.size() ? &parts_[given_++] : nullptr; }

void PartsBehind::sort() {
  const auto packet = [](const FlowRecord& part) { return content_of(part).packet; };
  if (!std::ranges::is_sorted(parts_, {}, packet)) std::ranges::stable_sort(parts_, {}, packet);
}

void PartsBehind::keep_first(std::size_t most) {
  sort();
  FirstTexts first(most);
  FirstAnnexes annexes;
  std::unordered_set<std::string> seen;  // several texts in one, which many packets may have brought
  std::vector<Partial> kept;
  std::uint64_t sequence = 0;
  Annotation one;
  for (const FlowRecord& part : parts_) {
    const Content content = content_of(part);
    if (is_annex(content)) {
      if (annexes.take(content)) static_cast<FlowRecord&>(kept.emplace_back()) = part;
      continue;
    }
    one.text.append(content.text, content.length);
    if (content.goes_on) continue;
    if (content.column == Annotation::kSeveralColumns) {  // of each column one, of its connection
      one.packet = content.packet;
      one.column = content.column;
      append_parts(kept, part.key, one, {}, part.arrival, sequence);
      one.text.clear();
      continue;
    }
    const std::string texts = std::exchange(one.text, {});
    if (texts.find(',') != std::string::npos && !seen.insert(std::to_string(content.column) + ' ' + texts).second)
      continue;
    bool any = false;
    Annotation::for_each_text(texts, [&](std::string_view text) {
      if (!first.take(content.column, std::string(text))) return;
      if (std::exchange(any, true)) one.text += ',';
      one.text += text;
    });
    one.packet = content.packet;
    one.column = content.column;
    if (any) append_parts(kept, part.key, one, {}, part.arrival, sequence);
    one.text.clear();
  }
  parts_.assign(kept.begin(), kept.end());
  room_ = std::max(kFewParts, 2 * parts_.size());
}

void PartsBehind::turn_annexes(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    Content content = content_of(parts_[i]);
    if (!is_annex(content)) continue;
    content.column = content.column == Annotation::kAnnex ? Annotation::kReverseAnnex : Annotation::kAnnex;
    set_content(parts_[i], content);
  }
}

void PartsBehind::give_to(const FlowRecord& flow) {
  if (parts_.size() > kMostKept) keep_first();
  else sort();
  std::uint64_t sequence = 0;
  for (FlowRecord& part : parts_) {
    part.key = flow.key;
    part.start_ns = flow.start_ns;
    part.end_ns = flow.end_ns;
    part.arrival = flow.arrival;
    part.packets = sequence++;
  }
}

AnnotatedRecords::AnnotatedRecords(std::unique_ptr<RecordCursor> records, std::uint32_t list)
    : records_(std::move(records)), list_(list) {
  advance();
}

void AnnotatedRecords::advance() {
  head_ = reverse_ = nullptr;
  annotations_.clear();
  if (!records_->head()) return;
  record_ = *records_->head();
  head_ = &record_;
  if (records_->reverse()) {
    other_ = *records_->reverse();
    reverse_ = &other_;
  }
  for (records_->advance(); records_->head() && is_annotation(*records_->head()); records_->advance()) {
    add_part(annotations_, *records_->head());
  }
  cut_ += annotations_.keep_first(list_);
}

namespace {

constexpr std::size_t kFewUntil = 64;  // before those are looked for that reach no more

}  // namespace

void AnnotationSpread::clear() {
  open_ = connection_of_record_ = pushed_out_ = 0;
  from_before_ = 0;
  of_connection_.clear();
  until_.clear();
  still_reach_ = 0;
  reaches_ = false;
}

void AnnotationSpread::begin_record(std::uint64_t arrival, PartsBehind& record) {
  connection_of_record_ = open_;
  for (const FlowRecord& part : of_connection_) record.add(part);
  std::erase_if(until_, [&](const Until& until) { return until.packet < arrival; });
  for (const Until& until : until_) record.add(brought_by(arrival, until.part));
  from_before_ = record.size();
}

// The Flow Record begins with a packet behind the connection that was open: it has nothing of that.
void AnnotationSpread::begin_anew(PartsBehind& record) {
  connection_of_record_ = open_;
  record.drop_first(std::exchange(from_before_, 0));
}

void AnnotationSpread::begin_connection(std::uint64_t number, bool joins) {
  const bool is_of_record = connection_of_record_ == 0 || connection_of_record_ == pushed_out_;
  if (joins && is_of_record) connection_of_record_ = number;
  open_ = number;
  pushed_out_ = 0;
  of_connection_.clear();
}

void AnnotationSpread::take(const FlowRecord& part, std::uint64_t arrival, PartsBehind& record) {
  using Kind = AnnotationReach::Kind;
  const AnnotationReach reach = reach_of(part);
  reaches_ = reaches_ || reach.kind != Kind::record;
  switch (reach.kind) {
    case Kind::record: record.add(part); break;
    case Kind::records:
      record.add(part);
      if (until_.size() > 2 * still_reach_ + kFewUntil) {
        std::erase_if(until_, [&](const Until& until) { return until.packet < part.arrival; });
        still_reach_ = until_.size();
      }
      until_.push_back({part, reach.number});
      break;
    case Kind::begin:
    case Kind::join:
      if (reach.number != open_) {  // else it is a later part of the same
        begin_connection(reach.number, reach.kind == Kind::join);
        if (part.arrival == arrival) begin_anew(record);
      }
      if (content_of(part).length == 0) break;
      [[fallthrough]];
    case Kind::connection:
      if (reach.number == open_) of_connection_.push_back(part);
      if (reach.number == connection_of_record_) record.add(part);
      break;
    case Kind::end:
    case Kind::pushed_out:
      if (reach.number != open_) break;
      pushed_out_ = reach.kind == Kind::pushed_out ? open_ : 0;
      open_ = 0;
      of_connection_.clear();
      if (part.arrival == arrival) begin_anew(record);
      break;
  }
}

}  // namespace warpmeter::inline flow
