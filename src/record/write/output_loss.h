// What did not come into the files of an output because they could not be written, while the run went on: counted, and
// told in one line when it begins and in one when it is over, not once a file.
//
// Threads: tell() by one at a time, the rest by any.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/thread_annotations.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

// How many Flow Records, and how much traffic they tell of: what is lost with them, in one number each.
struct RecordSums {
  std::uint64_t records = 0;
  std::uint64_t packets = 0;
  std::uint64_t octets = 0;  // IP lengths, as of the column `bytes`

  void add(const FlowRecord& record) {
    ++records;
    packets += record.packets;
    octets += record.bytes;
  }
  void add(const RecordSums& other) {
    records += other.records;
    packets += other.packets;
    octets += other.octets;
  }
  // What is left without `part`, which it holds.
  RecordSums without(const RecordSums& part) const {
    return {records - part.records, packets - part.packets, octets - part.octets};
  }
};

struct OutputLossCounts {
  std::string output;  // as the user named it
  RecordSums lost;
  std::uint64_t files = 0;  // that are not complete, or are not there
  std::string problem;      // of the last of these; empty: there is none
  bool is_failing = false;  // the last file is one of these
};

class OutputLoss {
 public:
  // `goes_on`: another file may come behind one that could not be written.
  OutputLoss(std::string output, bool goes_on);

  // A file was to hold `all` and holds `kept`. `problem`: why not all; empty where it does. Who reads the messages is
  // told when that changes.
  void tell(const RecordSums& all, const RecordSums& kept, const std::string& problem);

  OutputLossCounts counts() const;

 private:
  const bool goes_on_;
  mutable std::mutex mutex_;
  OutputLossCounts counts_ WARPMETER_GUARDED_BY(mutex_);
  OutputLossCounts when_it_began_ WARPMETER_GUARDED_BY(mutex_);
};

// "567 Flow Records (1234 packets, 99999 octets)"
std::string text_of(const RecordSums& sums);

// What each of them lost, in one line; empty if that is nothing.
std::string text_of(const std::vector<OutputLossCounts>& outputs);

}  // namespace warpmeter::inline record
