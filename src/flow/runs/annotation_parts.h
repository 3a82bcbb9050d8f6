// Annotations on their way through runs: beside the partials of their flows, as records of their own in the same runs,
// so that a flow without any takes not a byte more, and memory limits, run files, merges and ranges of keys hold for
// both.
//
// An annotation, or several texts that one packet brought, is one part or, where that is long, several in a row:
// records with the flag kIsAnnotation. In the order of partials they have the key of the flow, and as arrival the
// number of the packet, or that from which they count: so they stand behind the partial that this packet was metered
// in, and before the next of its key. Join tells whose they are (AnnotationSpread); from there on they stand
// directly behind their Flow Record, with its times and arrival. AnnotatedRecords, at the end of the chain of cursors,
// makes annotations of them again.
//
// Threads: any, at once; an object by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/annotations.h"
#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

inline bool is_annotation(const FlowRecord& record) { return record.flags & kIsAnnotation; }

// Appends the parts of an annotation. `sequence` is raised by their number: parts of one arrival are in its order.
void append_parts(std::vector<Partial>& to, const FlowKey& key, const Annotation& annotation,
                  const AnnotationReach& reach, std::uint64_t arrival, std::uint64_t& sequence);

// The part of an annex, which `packet` brought: of the flow or part that it stands behind, before all annotations of
// it.
Partial annex_part(const FlowRecord& flow, const Annex& annex, std::uint64_t packet, bool reverse = false);

// Appends the parts of all, as they stand behind `flow`.
void append_behind(std::vector<Partial>& to, const FlowRecord& flow, const Annotations& annotations);

// Adds what a part has to its annotations. REQUIRES: is_annotation(part); the parts of an annotation come in a row.
void add_part(Annotations& to, const FlowRecord& part);

AnnotationReach reach_of(const FlowRecord& part);  // REQUIRES: is_annotation(part)
bool goes_on(const FlowRecord& part);              // in the next one. REQUIRES: is_annotation(part)

// The same part, as if this packet had brought it. REQUIRES: is_annotation(part).
FlowRecord brought_by(std::uint64_t packet, FlowRecord part);

// The parts behind one Flow Record, most often none, for cursors that make one Flow Record of several and then give its
// parts.
class PartsBehind {
 public:
  // Those that `cursor` stands at, up to the next that is none.
  template <class Cursor>
  void take_from(Cursor& cursor) {
    for (; cursor.head() && is_annotation(*cursor.head()); cursor.advance()) parts_.push_back(*cursor.head());
  }
  void add(const FlowRecord& part);
  // Between two annotations: where parts have become many, drops those that a Flow Record will not have.
  void bound() {
    if (parts_.size() > room_) [[unlikely]]
      keep_first();
  }
  // Of each column, parts of the first `most` different texts.
  void keep_first(std::size_t most = kMostKept);
  void drop_first(std::size_t parts) {
    parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(parts));
  }
  std::size_t size() const { return parts_.size(); }
  bool empty() const { return parts_.empty(); }
  // Annexes among those with these numbers are of the other direction.
  void turn_annexes(std::size_t begin, std::size_t end);
  void clear() {
    parts_.clear();
    given_ = 0;
    room_ = kFewParts;
  }

  // From now on they belong to `flow`: all orders of Flow Records put them behind it, in the order of packets; of one
  // packet, as they were added. If there are many, the first are left.
  void give_to(const FlowRecord& flow);

  // One after the other, then null. Valid until this changes.
  const FlowRecord* next();

 private:
  static constexpr std::size_t kFewParts = 4096;

  void sort();

  std::vector<FlowRecord> parts_;
  std::size_t given_ = 0;
  std::size_t room_ = kFewParts;  // of so many, not all may be wanted
};

// Whose annotations are: while Join goes through the partials of a Flow Key and what is noted between them, this gives
// each Flow Record what reaches it (AnnotationReach).
//
// Connections follow each other in the packets of a key, so one at a time is open. A Flow Record that began in an
// earlier one belongs to that, however long it goes on.
class AnnotationSpread {
 public:
  // Nothing reaches further than its Flow Record: neither of the next two need be called.
  bool is_idle() const { return !reaches_; }

  // Another Flow Key.
  void clear();
  // A Flow Record begins, of which this is the arrival: it gets what reaches it from before.
  void begin_record(std::uint64_t arrival, PartsBehind& record);

  // The next part that is noted, of the Flow Record that began last, with this arrival.
  void take(const FlowRecord& part, std::uint64_t arrival, PartsBehind& record);

 private:
  void begin_anew(PartsBehind& record);
  void begin_connection(std::uint64_t number, bool joins);

  struct Until {
    FlowRecord part;
    std::uint64_t packet;
  };
  std::uint64_t open_ = 0;                  // connection; 0: none
  std::vector<FlowRecord> of_connection_;   // parts that its later Flow Records get
  std::vector<Until> until_;                // parts that those get which begin up to a packet
  std::size_t still_reach_ = 0;             // of these, behind the last look
  std::size_t from_before_ = 0;             // parts that the last Flow Record got as it began
  std::uint64_t connection_of_record_ = 0;  // in which the last one began; 0: in none
  std::uint64_t pushed_out_ = 0;            // connection; 0: none, or another one began since
  bool reaches_ = false;                    // some part did
};

// Flow Records with their annotations, at the end of a chain of cursors in which these stand behind them as records of
// their own. Of a column, the first kMostTexts are left.
//
// Holds one Flow Record, or biflow, at a time.
class AnnotatedRecords : public RecordCursor {
 public:
  // `list`: the column of which is counted what is left out.
  explicit AnnotatedRecords(std::unique_ptr<RecordCursor> records, std::uint32_t list = 0);
  void advance() override;

  // Of the current Flow Record; of a biflow, of both directions. Valid until advance().
  const Annotations& annotations() const { return annotations_; }
  // Flow Records so far, the current one included, of which texts of the list are left out.
  std::uint64_t cut() const { return cut_; }

 private:
  const std::unique_ptr<RecordCursor> records_;
  const std::uint32_t list_;
  std::uint64_t cut_ = 0;
  FlowRecord record_, other_;
  Annotations annotations_;
};

}  // namespace warpmeter::inline flow
