// What is noted of a flow beside its counters: short texts, such as labels or names, each with the column that it is
// for and the packet that brought it. They may be of any length; most flows have none. Any number may be noted; of a
// column, a Flow Record has the first kMostTexts different ones.
//
// They are not in the flow's state, nor in its record: whoever notes one appends it to a log
// (flow/runs/live_annotations.h), from where it goes the way of the flow's partials, and meets them in their merge.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/annex.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

inline constexpr std::size_t kMostTexts = 256;
// Of parts of a Flow Record one more is kept, which tells the whole that some are left out.
inline constexpr std::size_t kMostKept = kMostTexts + 1;

struct Annotation {
  // On their way, texts of several columns may stand in one: each behind the number of its column and `=`, with commas
  // between. This is no column.
  static constexpr std::uint32_t kSeveralColumns = 0xffffffff;
  // On their way: the text is the octets of an Annex, of the flow or of a biflow's other direction.
  static constexpr std::uint32_t kAnnex = 0xfffffffe, kReverseAnnex = 0xfffffffd;

  std::uint64_t packet = 0;  // its number
  std::uint32_t column = 0;  // of the columns that the run has for annotations, or kSeveralColumns
  std::string text;          // printable ASCII without commas; in a list without semicolons

  // On their way, several texts that one packet brought may stand in one, with commas between: `one` is called for
  // each.
  template <class One>
  static void for_each_text(std::string_view text, One one) {
    for (std::size_t comma; (comma = text.find(',')) != std::string_view::npos; text.remove_prefix(comma + 1)) {
      one(text.substr(0, comma));
    }
    one(text);
  }
  // The same with the column of each.
  template <class One>
  static void for_each_text(std::uint32_t column, std::string_view text, One one) {
    for_each_text(text, [&](std::string_view each) {
      if (column != kSeveralColumns) return one(column, each);
      std::uint32_t own = 0;
      const char* const behind = std::from_chars(each.data(), each.data() + each.size(), own).ptr;
      one(own, each.substr(std::min<std::size_t>(behind - each.data() + 1, each.size())));
    });
  }
  // Appends one to the text of an annotation of several columns.
  static void append(std::string& text, std::uint32_t column, std::string_view one) {
    if (!text.empty()) text += ',';
    ((text += std::to_string(column)) += '=') += one;
  }

  bool operator==(const Annotation&) const = default;
};

// Which Flow Records of a Flow Key an annotation is of. Whoever notes it does not know where Flow Records begin; the
// join of partials does, and settles it.
struct AnnotationReach {
  enum class Kind : std::uint8_t {
    record,      // the one that the packet is metered in
    records,     // that one, and those that begin up to packet `number`
    connection,  // that one and all later ones, as far as they begin within the connection
    begin,       // as `connection`, or none if the text is empty: from the packet on, Flow Records begin within it
    end,         // none: from the packet on, they do not
    pushed_out,  // none: as end, but for want of memory, so that the connection may go on as another one
    join,        // as begin; the Flow Record that lives then is of this connection, too, if it began in one that
                 // was pushed out or in none that was noted
  };
  Kind kind = Kind::record;
  std::uint64_t number = 0;  // records: a packet's; connection and all behind: which connection of the key, not 0
};

// Where annotations are noted. Threads: one.
class AnnotationSink {
 public:
  virtual ~AnnotationSink() = default;
  // Of the packet annotation.packet, which was or is metered under this key; of one that is in no flow it is dropped in
  // the end. All annotations of a key are added to one sink. `arrival`: the packet from which it counts, if that is
  // another one. Throws Error.
  virtual void add(const FlowKey& key, const Annotation& annotation, const AnnotationReach& reach,
                   std::uint64_t arrival) = 0;
};

// Which texts are the first of their columns, each once, up to `most`. Where parts of a list are cut so before they are
// put together in its order, and cut again, the result is that of the whole list.
class FirstTexts {
 public:
  explicit FirstTexts(std::size_t most) : most_(most) {}

  // The next one. False: it came before, or there are enough.
  bool take(std::uint32_t column, std::string text) {
    OfColumn& of = columns_[column];
    if (of.taken.size() < most_) return of.taken.insert(std::move(text)).second;
    of.left_out = of.left_out || !of.taken.contains(text);
    return false;
  }
  bool left_out_of(std::uint32_t column) const {
    const auto of = columns_.find(column);
    return of != columns_.end() && of->second.left_out;
  }

 private:
  struct OfColumn {
    std::unordered_set<std::string> taken;
    bool left_out = false;
  };
  const std::size_t most_;
  std::unordered_map<std::uint32_t, OfColumn> columns_;
};

// Those of one Flow Record, in the order of packets; of one packet, as they were noted. Beside them its annex, of a
// biflow one a direction.
class Annotations {
 public:
  // REQUIRES: no annotation was added of a later packet.
  void add(Annotation annotation) { all_.push_back(std::move(annotation)); }
  // Of one, or several in one, whose text comes in pieces; `goes_on`: the next call brings more of it.
  void add_text(std::uint64_t packet, std::uint32_t column, std::string_view text, bool goes_on) {
    if (column == Annotation::kAnnex || column == Annotation::kReverseAnnex) {
      return add_annex(column == Annotation::kReverseAnnex, text);
    }
    if (!std::exchange(goes_on_, goes_on)) all_.push_back({packet, column, {}});
    all_.back().text += text;
    const bool is_one = column != Annotation::kSeveralColumns && all_.back().text.find(',') == std::string::npos;
    if (goes_on || is_one) return;
    const std::string texts = std::move(all_.back().text);
    all_.pop_back();
    Annotation::for_each_text(column, texts, [&](std::uint32_t of, std::string_view one) {
      all_.push_back({packet, of, std::string(one)});
    });
  }
  void clear() {
    all_.clear();
    goes_on_ = false;
    is_cut_ = false;
    has_annex_[0] = has_annex_[1] = false;
  }
  // Of one direction, in the order of packets.
  void add_annex(bool reverse, const Annex& annex) {
    if (std::exchange(has_annex_[reverse], true)) annex_[reverse].add_later(annex);
    else annex_[reverse] = annex;
  }
  // The same, for the caller to fill in, made if there is none.
  Annex& annex_to_fill(bool reverse) {
    if (!std::exchange(has_annex_[reverse], true)) annex_[reverse] = {};
    return annex_[reverse];
  }
  void add_annexes(const Annotations& other) {
    for (const bool reverse : {false, true}) {
      if (other.has_annex_[reverse]) add_annex(reverse, other.annex_[reverse]);
    }
  }
  bool has_annex() const { return has_annex_[0] || has_annex_[1]; }
  // What a direction of a biflow has of it as a flow of its own: all texts, and its annex.
  Annotations of_direction(bool reverse) const {
    Annotations own = *this;
    if (reverse) std::swap(own.annex_[0], own.annex_[1]), std::swap(own.has_annex_[0], own.has_annex_[1]);
    own.has_annex_[1] = false;
    return own;
  }
  // Null: there is none. Valid until this changes.
  const Annex* annex(bool reverse) const { return has_annex_[reverse] ? &annex_[reverse] : nullptr; }
  // Only the first `most` different texts of each column stay. True: of `list` some did not.
  bool keep_first(std::uint32_t list, std::size_t most = kMostTexts) {
    if (all_.size() <= most) return false;
    FirstTexts first(most);
    std::erase_if(all_, [&](const Annotation& one) { return !first.take(one.column, one.text); });
    is_cut_ = first.left_out_of(list);
    return is_cut_;
  }
  // What that said since clear().
  bool is_cut() const { return is_cut_; }

  bool empty() const { return all_.empty() && !has_annex_[0] && !has_annex_[1]; }
  const std::vector<Annotation>& all() const { return all_; }

  // Bytes that all of them take at most as text in a line, quoted, escaped and separated.
  std::size_t most() const {
    std::size_t sum = 0;
    for (const Annotation& annotation : all_) sum += 2 * annotation.text.size() + 3;
    return sum;
  }

  // The first text of a column: later ones do not replace it. Empty: there is none. Valid until this changes.
  std::string_view first_of(std::uint32_t column) const {
    const auto found = std::ranges::find(all_, column, &Annotation::column);
    return found == all_.end() ? std::string_view() : found->text;
  }

  // All texts of a column, each once, where it came first. Valid until this changes.
  std::vector<std::string_view> list_of(std::uint32_t column) const {
    constexpr std::size_t kFew = 16;  // among which one is found sooner by looking at each
    std::vector<std::string_view> texts;
    std::unordered_set<std::string_view> many;
    const auto is_there = [&](std::string_view text) {
      if (texts.size() < kFew) return std::ranges::find(texts, text) != texts.end();
      if (many.empty()) many.insert(texts.begin(), texts.end());
      return !many.insert(text).second;
    };
    for (const Annotation& annotation : all_) {
      if (annotation.column == column && !is_there(annotation.text)) texts.push_back(annotation.text);
    }
    return texts;
  }

 private:
  void add_annex(bool reverse, std::string_view octets) {
    if (octets.size() != sizeof(Annex)) return;
    Annex annex;
    std::memcpy(&annex, octets.data(), sizeof annex);
    add_annex(reverse, annex);
  }

  std::vector<Annotation> all_;
  bool goes_on_ = false;  // the text of the last
  bool is_cut_ = false;
  bool has_annex_[2] = {};
  Annex annex_[2];  // of the flow, of the other direction
};

inline const Annotations kNoAnnotations{};

}  // namespace warpmeter
