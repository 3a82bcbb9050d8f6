// The sequence state of one direction of one TCP connection. It outlives the Flow Records that an active timeout cuts
// out of the connection, and is replaced whenever a new incarnation or an idle timeout starts afresh.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "packet.h"
#include "sequence_set.h"

namespace reference {

struct ConnectionValues {
  int64_t bytes = 0;
  int64_t nanoseconds = 0;
};

// What one segment turned out to be.
struct Verdict {
  bool keep_alive = false;
  bool out_of_order = false;
  bool first_fin = false;
  int64_t bytes_again = 0;  // payload bytes seen before; 0 for a keep-alive
};

class Incarnation {
 public:
  // A segment that is no duplicate. RST segments only close: they touch no numbers.
  Verdict take(const TcpSegment& segment, int64_t time);

  // Does this SYN belong to another connection?
  bool is_foreign_syn(const TcpSegment& segment) const;

  bool closing() const { return closing_; }
  int64_t missing_bytes() const;
  std::optional<ConnectionValues> connection() const;

 private:
  // The position of a header's number: nearest to the highest end; a tie counts as below.
  int64_t unwrap(uint32_t sequence) const;

  struct Extent {
    int64_t lowest = 0;
    int64_t highest = 0;  // one past the last number
  };
  struct Syn {
    uint32_t sequence = 0;
    int64_t position = 0;
    int64_t first_time = 0;
  };

  std::optional<Extent> extent_;  // of all segments taken, bare acknowledgements too
  SequenceSet seen_;
  std::optional<Syn> syn_;
  std::set<int64_t> fins_;
  int64_t first_fin_time_ = 0;
  bool closing_ = false;
};

}  // namespace reference
