// One incarnation of a 5-tuple, both ways: what waits, what was submitted, what was given up.
//
// Sequence numbers are unwrapped: 64 bits, so that they grow for ever.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "oracle_segment.h"
#include "oracle_streams.h"
#include "sequence_set.h"

namespace reference {

class OracleConnection {
 public:
  OracleConnection(const OracleSegment& first, const StreamOptions& options);

  Side side_of(const OracleSegment& segment) const;
  int64_t latest_time() const { return result_.latest_time; }
  const StreamConnection& so_far() const { return result_; }

  // Does this SYN, of no RST, begin another connection of the same ends? Two answers to one SYN are remembered.
  bool is_foreign(const OracleSegment& syn);

  void take(const OracleSegment& segment);

  // Nothing follows; `packet` is what ended it, 0 if none did.
  StreamConnection finish(Reason reason, int64_t packet);

 private:
  struct Way {
    struct Syn {
      uint32_t field;    // the number in the header
      int64_t position;  // unwrapped
    };
    std::optional<Syn> syn;
    bool two_answers = false;         // SYN+ACKs with different numbers: none of them counts
    std::optional<int64_t> lowest;    // number of a segment
    std::optional<int64_t> highest;   // end of a segment
    std::optional<int64_t> position;  // all below was submitted or given up
    std::optional<int64_t> origin;    // offset 0
    std::optional<int64_t> fin;       // the number of the first FIN
    SequenceSet seen;                 // in the list, or submitted
    SequenceSet cut;                  // was not captured

    // Bytes that were captured, and not too late.
    bool carried() const { return seen.count() > 0; }
    void forget_start() {
      two_answers = true;
      syn.reset();
      lowest = highest = position = origin = std::nullopt;
    }
  };
  struct Bearer {  // the segment that has brought a byte
    int64_t start, end;
  };
  struct Entry {
    Side side;
    int64_t start;
    std::vector<uint8_t> bytes;
    std::vector<Bearer> bearers;  // of each byte

    int64_t end() const { return start + static_cast<int64_t>(bytes.size()); }
  };
  struct Hole {
    size_t before;  // this entry of the list
    int64_t bytes;
    bool certain;  // the capture has cut off all of it
  };

  bool is_answer(const OracleSegment& syn, Side side) const;
  int64_t unwrap(const Way& way, uint32_t sequence) const;
  void put(Side side, int64_t start, const OracleSegment& segment, bool behind_all);
  Entry* waiting_at(Side side, int64_t number);
  bool wins(const Bearer& newer, const Bearer& older) const;
  void enter(Entry entry);
  int64_t buffered() const;
  std::vector<Hole> holes() const;
  bool reaches_fin(Side side) const;
  void submit_full_and_finished(int64_t packet);
  void submit_waiting(Reason reason, int64_t packet);
  void submit(size_t entries, Reason reason, int64_t packet);
  void add_to(StreamBlock& block, const Entry& entry);
  void give_up(Side side, int64_t bytes);

  const StreamOptions options_;
  std::array<Way, 2> ways_;
  std::vector<Entry> list_;
  std::optional<Reason> closed_;
  bool reset_ = false;  // by an RST that nothing but this connection can have sent
  StreamConnection result_;
};

}  // namespace reference
