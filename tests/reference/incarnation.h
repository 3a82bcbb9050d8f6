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
  bool stray = false;
  bool keep_alive = false;
  bool out_of_order = false;
  bool first_fin = false;   // or that of a candidate which the segment confirms
  int64_t bytes_again = 0;  // payload bytes seen before; 0 for a keep-alive
};

enum class SynKind { foreign, own, second_answer };

class Incarnation {
 public:
  // A segment that is no duplicate. RST segments only close: they touch no numbers. `older`: than every packet of its
  // flow before it.
  Verdict take(const TcpSegment& segment, int64_t time, bool older);

  // To which connection does this SYN belong?
  SynKind kind_of(const TcpSegment& syn, bool older) const;

  bool closing() const { return closing_; }
  int64_t missing_bytes() const;
  std::optional<ConnectionValues> connection() const;

 private:
  // The position of a header's number: nearest to the highest end; a tie counts as below.
  int64_t unwrap(uint32_t sequence) const;

  // The numbers of a segment; `end` is one past the last.
  struct Span {
    int64_t start = 0;
    int64_t payload = 0;
    int64_t payload_end = 0;
    int64_t end = 0;
  };
  struct Candidate {
    Span span;
    std::optional<int64_t> fin_time;
  };

  Span span_of(const TcpSegment& segment, int64_t start) const;
  bool is_suspicious(int64_t start) const;
  bool confirms(const TcpSegment& segment) const;
  void take_candidate(Verdict& verdict);
  void judge(const TcpSegment& segment, const Span& span, Verdict& verdict) const;
  void enter(const Span& span);
  void enter_fin(int64_t number, int64_t time, Verdict& verdict);
  void forget();

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
  bool reset_ = false;                  // an RST with a number of this connection came
  std::optional<Candidate> candidate_;  // the latest stray
  int64_t missing_before_ = 0;          // in number spaces that were left
  bool jumped_ = false;                 // one was left
  std::optional<uint32_t> answer_;      // what the first SYN+ACK acknowledges
  bool answered_twice_ = false;         // with different ISNs
  bool closing_ = false;
};

}  // namespace reference
