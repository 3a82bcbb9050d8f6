// The order of an output, and flows in that order, one at a time: from a run file, or merged of several sequences.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/merge/merge_heap.h"
#include "core/annotations.h"
#include "core/biflow_key.h"
#include "flow/runs/run_file.h"
#include "warpmeter/biflow.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline flow {

// The order of outputs, as their files tell it: (Flow Key, start, end); of biflows (undirected key, start, end), by the
// times of the direction that began first.
//
// Where times were rounded to microseconds (--times us) or are no finer anyway, ends do not tell whether a file is in
// order: of flows that began in one microsecond any may stand first.
class MergeOrder {
 public:
  explicit MergeOrder(bool of_biflows = false) : of_biflows_(of_biflows) {}

  // Negative, zero or positive.
  int operator()(const Biflow& a, const Biflow& b) const {
    if (const int order = by_key(a, b)) return order;
    const auto order = times(a) <=> times(b);
    return order < 0 ? -1 : order > 0;
  }

  // May they stand one after the other in a file?
  bool may_follow(const Biflow& first, const Biflow& next) const {
    if (const int order = by_key(first, next)) return order < 0;
    const Times a = times(first), b = times(next);
    return a <= b || (a.start_ns == b.start_ns && is_rounded(a) && is_rounded(b));
  }

 private:
  struct Times {
    std::int64_t start_ns, end_ns;
    auto operator<=>(const Times&) const = default;
  };
  int by_key(const Biflow& a, const Biflow& b) const {
    return of_biflows_ ? compare_undirected(a.forward, b.forward) : compare(a.forward.key, b.forward.key);
  }
  Times times(const Biflow& flow) const {
    const Times forward{flow.forward.start_ns, flow.forward.end_ns};
    if (!flow.has_reverse) return forward;
    return std::min(forward, Times{flow.reverse.start_ns, flow.reverse.end_ns});
  }
  static bool is_rounded(const Times& t) { return t.start_ns % kNsPerUs == 0 && t.end_ns % kNsPerUs == 0; }

  bool of_biflows_;
};

class FlowCursor {
 public:
  virtual ~FlowCursor() = default;

  // The current flow; null at the end. Valid until advance().
  const Biflow* head() const { return head_; }
  // What is noted of it, with the columns of AnnotationNames. Valid until advance().
  const Annotations& annotations() const { return *annotations_; }

  // Moves to the next flow, or to the end. REQUIRES: head() is not null.
  virtual void advance() = 0;

 protected:
  const Biflow* head_ = nullptr;
  const Annotations* annotations_ = &kNoAnnotations;
};

// Several sequences of flows as one. Of flows that are alike, those of the sequence named first come first.
class MergedFlows : public FlowCursor {
 public:
  MergedFlows(std::vector<std::unique_ptr<FlowCursor>> flows, const MergeOrder& order);
  void advance() override;

 private:
  struct Entry {
    std::unique_ptr<FlowCursor> flows;
    std::size_t place;  // of the sequence among all
  };
  struct Before {
    bool operator()(const Entry& a, const Entry& b) const {
      const int by_order = order(*a.flows->head(), *b.flows->head());
      return by_order ? by_order < 0 : a.place < b.place;
    }
    MergeOrder order;
  };
  void show_first() {
    head_ = heap_.empty() ? nullptr : heap_.first().flows->head();
    annotations_ = heap_.empty() ? &kNoAnnotations : &heap_.first().flows->annotations();
  }

  MergeHeap<Entry, Before> heap_;
};

// Flows wait in a run file (docs/run-files.md) where more files are to be merged than can be open at once.
//
// A run file in `folder` with all flows from here on. Throws Error.
std::shared_ptr<const RunFile> write_run(FlowCursor& flows, const std::string& folder);

class RunFlows : public FlowCursor {
 public:
  explicit RunFlows(std::shared_ptr<const RunFile> file);
  void advance() override;

 private:
  RunReader reader_;
  Biflow flow_;
  Annotations noted_;
};

// All of them as one; of flows that are alike, those of the first run come first.
std::unique_ptr<FlowCursor> merged_runs(const std::vector<std::shared_ptr<const RunFile>>& runs,
                                        const MergeOrder& order);

}  // namespace warpmeter::inline flow
