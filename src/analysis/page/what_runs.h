// What flows were noted to be: sums by label, and by the texts of columns such as host.
//
// A flow with several labels counts for each of them. Memory is bounded, since files may hold any number of labels and
// columns: see kMostLabels and what follows, about 100 MB where all are of the greatest length. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/page/counted_by.h"
#include "analysis/page/counts.h"
#include "core/annotation_names.h"
#include "core/annotations.h"

namespace warpmeter::inline analysis {

using CountedTexts = CountedBy<std::string>;

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

}  // namespace warpmeter::inline analysis
