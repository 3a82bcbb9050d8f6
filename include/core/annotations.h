// What is noted of a flow beside its counters: short texts, such as labels or names, each with the column that it is
// for and the packet that brought it. There may be any number of them, of any length; most flows have none.
//
// They are not in the flow's state, nor in its record: whoever notes one appends it to a log
// (flow/runs/annotation_log.h), from where it goes the way of the flow's partials, and meets them in their merge.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpmeter/flow_key.h"

namespace warpmeter {

struct Annotation {
  std::uint64_t packet = 0;  // its number
  std::uint32_t column = 0;  // of the columns that the run has for annotations
  std::string text;          // printable ASCII without commas; in a list without semicolons

  bool operator==(const Annotation&) const = default;
};

// Which Flow Records of a Flow Key an annotation is of. Whoever notes it does not know where Flow Records begin; the
// join of partials does, and settles it.
struct AnnotationReach {
  enum class Kind : std::uint8_t {
    record,      // the one that the packet is metered in
    records,     // that one, and those that begin up to packet `number`
    connection,  // that one and all later ones, as far as they begin within the connection
    begin,       // none: from the packet on, Flow Records begin within the connection
    end,         // none: from the packet on, they do not
  };
  Kind kind = Kind::record;
  std::uint64_t number = 0;  // records: a packet's; connection, begin, end: which connection of the key, not 0
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

// Those of one Flow Record, in the order of packets; of one packet, as they were noted.
class Annotations {
 public:
  // REQUIRES: no annotation was added of a later packet.
  void add(Annotation annotation) { all_.push_back(std::move(annotation)); }
  // Of one whose text comes in pieces; `goes_on`: the next call brings more of it.
  void add_text(std::uint64_t packet, std::uint32_t column, std::string_view text, bool goes_on) {
    if (!std::exchange(goes_on_, goes_on)) all_.push_back({packet, column, {}});
    all_.back().text += text;
  }
  void clear() {
    all_.clear();
    goes_on_ = false;
  }

  bool empty() const { return all_.empty(); }
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
    std::vector<std::string_view> texts;
    for (const Annotation& annotation : all_) {
      if (annotation.column != column || std::ranges::find(texts, std::string_view(annotation.text)) != texts.end())
        continue;
      texts.push_back(annotation.text);
    }
    return texts;
  }

 private:
  std::vector<Annotation> all_;
  bool goes_on_ = false;  // the text of the last
};

inline const Annotations kNoAnnotations{};

}  // namespace warpmeter
