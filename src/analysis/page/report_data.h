// What the report page tells, added up from Flow Records in one pass and in bounded memory (about 300 MB where there
// are more hosts than it has room for, a few MB for most files), and which columns that is known of. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/page/counted_by.h"
#include "analysis/page/counts.h"
#include "analysis/page/host_times.h"
#include "analysis/page/time_series.h"
#include "analysis/page/worst_flows.h"
#include "core/annotations.h"
#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline analysis {

// Which columns the meters that wrote the files knew: what nobody measured is not reported as zero.
class Coverage {
 public:
  void add(const FlowRecord& record) {
    const bool tcp = record.key.protocol == kProtocolTcp;
    ++flows_;
    tcp_flows_ += tcp;
    for (std::uint32_t absent = record.absent; absent; absent &= absent - 1) {
      const auto column = static_cast<std::size_t>(std::countr_zero(absent));
      if (column < kColumns.size() && (tcp || !kColumns[column].tcp_only)) ++unknown_[column];
    }
  }

  // Flows that could have a value in the column, and those of them that do.
  std::uint64_t asked(std::string_view column) const {
    return kColumns[column_number(column)].tcp_only ? tcp_flows_ : flows_;
  }
  std::uint64_t known(std::string_view column) const { return asked(column) - unknown_[column_number(column)]; }

  bool measured(std::string_view column) const { return asked(column) == 0 || known(column) > 0; }

 private:
  std::uint64_t flows_ = 0;
  std::uint64_t tcp_flows_ = 0;
  std::array<std::uint64_t, kColumns.size()> unknown_{};
};

using CountedTexts = CountedBy<std::string>;

// What flows were noted to be: sums by label, and by the texts of columns such as host.
//
// A flow with several labels counts for each of them. Memory is bounded, since files may hold any number of labels and
// columns: see kMostLabels and what follows, about 100 MB where all are of the greatest length.
class WhatRuns {
 public:
  static constexpr std::string_view kHostName = "host";
  static constexpr std::size_t kMostLabels = 4096;
  static constexpr std::size_t kMostTexts = 8192;  // of a column
  static constexpr std::size_t kMostColumns = 8;   // those that come first, and host

  struct Column {
    std::uint32_t number;  // AnnotationNames'
    std::string_view name;
    CountedTexts texts{kMostTexts};

    Column(std::uint32_t of, std::string_view called) : number(of), name(called) {}
  };

  // Of a Flow Record; columns are numbered as in AnnotationNames.
  void add(const Counts& counts, const Annotations& noted) {
    if (!noted.empty()) add_noted(counts, noted);
  }

  bool is_host(const Column& column) const { return column.number == host_; }
  bool empty() const { return labelled.flows == 0 && columns.empty(); }

  // Read by those who draw the page.
  CountedTexts labels{kMostLabels};
  Counts labelled;             // flows that have any
  std::deque<Column> columns;  // that have texts, as they came
  bool left_out = false;       // there were more columns

 private:
  void add_noted(const Counts& counts, const Annotations& noted);
  Column* column(std::uint32_t number);

  // Nothing if there are too many names: no flow has such a column then.
  const std::optional<std::uint32_t> labels_ = AnnotationNames::of_process().number(kLabelsName);
  const std::optional<std::uint32_t> host_ = AnnotationNames::of_process().number(kHostName);
};

using HostKey = std::array<std::uint8_t, 17>;      // IP version, address as in a FlowKey
using HostPairKey = std::array<std::uint8_t, 33>;  // IP version, source, destination
using PortKey = std::array<std::uint8_t, 2>;       // network byte order

// The measures of the time series.
enum Over : std::size_t {
  kOverBytes,
  kOverPackets,
  kOverDataSegments,
  kOverRetransmitted,
  kOverMissing,
  kOverTellingFlows,  // those with at least kTellingSegments data segments, in units of kFlowUnit
  kOverTellingFlowsWithGaps,
  kOverMeasures
};
inline constexpr std::uint64_t kFlowUnit = 1 << 20;
inline constexpr std::uint64_t kTellingSegments = 8;  // shorter flows may be lucky where a capture drops packets

// Flows by the share of their packets that are duplicates: up to 1 %, 10 %, 30 %, 45 %, 55 %, and above. A flow of
// which every packet came twice has 50 %.
inline constexpr std::array<double, 5> kDuplicateShares = {0.01, 0.10, 0.30, 0.45, 0.55};
inline constexpr std::size_t kTwiceBin = 4;                // 45 % to 55 %
inline constexpr std::uint64_t kFewestPacketsOfTwice = 4;  // shorter flows get there by chance: they have a bin below

// How long handshakes took, from SYN to SYN+ACK: from 0 to 10 us, and from each of these to the next.
class Handshakes {
 public:
  static constexpr std::array<std::int64_t, 20> kFromUs = {
      0,      10,     20,     50,      100,     200,     500,       1'000,     2'000,     5'000,
      10'000, 20'000, 50'000, 100'000, 200'000, 500'000, 1'000'000, 2'000'000, 5'000'000, 10'000'000};

  void add(std::int64_t ns) {
    const auto next = std::upper_bound(kFromUs.begin(), kFromUs.end(), ns / 1000);
    ++counts[static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - kFromUs.begin(), 1) - 1)];
    ++all;
  }

  std::array<std::uint64_t, kFromUs.size()> counts{};
  std::uint64_t all = 0;
};

class ReportData {
 public:
  static constexpr std::size_t kMostHosts = std::size_t{1} << 18;
  static constexpr std::size_t kMostPairs = std::size_t{1} << 18;

  explicit ReportData(std::size_t most_hosts = kMostHosts, std::size_t most_pairs = kMostPairs)
      : hosts(most_hosts), pairs(most_pairs) {}

  // Both directions, if there are two. What a record's `absent` holds counts as not measured.
  // `noted`: of both directions, its columns numbered as in AnnotationNames.
  void add(const Biflow& flow, const Annotations& noted = kNoAnnotations);
  void add(const FlowRecord& record, const Annotations& noted = kNoAnnotations);

  // Of a biflow whose SYN and SYN+ACK were seen once each: the time between them.
  void add_handshake(std::int64_t ns) { handshakes.add(ns); }

  // Read by those who draw the page.
  Counts totals;
  Coverage coverage;
  std::uint64_t tcp_flows = 0;
  bool has_biflows = false;  // with both directions in one record
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  TimeSeries over_time{kOverMeasures};
  CountedBy<HostKey, HostCounts> hosts;                              // by source
  CountedBy<HostPairKey> pairs;                                      // by source and destination
  CountedBy<PortKey> server_ports{65536};                            // of TCP: the lower port of the two
  std::array<Counts, 65> sizes;                                      // by the number of bits of the flow's bytes
  std::array<Counts, kDuplicateShares.size() + 1> duplicate_shares;  // flows with duplicates alone
  std::array<Counts, 256> protocols;
  std::array<Counts, 256> end_reasons;
  WhatRuns what_runs;
  Handshakes handshakes;
  HostTimes host_times;  // by HostCounts::number, as the next
  WorstFlows worst_flows;
  // "DE, AS64496 Example" of an address of that IP version; "" if nothing is known. Empty: nobody asked for it.
  std::function<std::string(std::uint8_t version, const std::uint8_t* address)> where_is;

 private:
  void note_of_host(HostCounts& host, const FlowRecord& record, const Counts& counts);
  void forget_hosts();
  void put_away_flows();
  void add_to_time(const FlowRecord& record, const Counts& counts);

  std::uint32_t numbers_ = 0;                // of hosts that were given so far
  std::vector<std::uint32_t> free_numbers_;  // of hosts that were forgotten
};

}  // namespace warpmeter::inline analysis
