// The columns that options add to Flow Records, each in a file of its own: the option, what it says of itself, and what
// makes the column of it. Commands that write Flow Records, the manual and the tests take them from here.
//
// Threads: any, at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/extra_column.h"
#include "core/observed_points.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {

struct ColumnOption {
  // What the column may depend on: a second option, with this name behind that of the column. No name: on nothing.
  struct Number {
    std::string_view name;
    std::uint64_t most = 0;
    std::string_view help;
  };

  std::string_view column;   // its name, from which the option has its own
  std::string_view meaning;  // of the column, for the manual
  std::string_view help;     // of the option
  Number number;
  std::shared_ptr<const ExtraColumn> (*make)(std::uint64_t number);  // 0 where none is given

  std::string option() const;         // "--community-id"
  std::string number_option() const;  // "--community-id-seed". REQUIRES: number has a name
};

// "--community-id" of "community_id".
std::string option_of_column(std::string_view column);

// In the order in which their columns stand.
std::span<const ColumnOption> column_options();

// Those of --interface-columns of a live capture, `interface` and `direction`: where the first packet of a flow was
// observed, by the name of the Observation Point, and which way it went there, as flowDirection of IPFIX. `points` must
// outlive them.
ExtraColumns observed_columns(const ObservedPoints& points);

// Community ID of a Flow Key, for filters that ask for flows by it; community_id.cc has its definition, and its column.
// With seed 0, such as "1:LQU9qZlK+B5F3KDmev6m5PMibrg=".
std::string community_id_of(const FlowKey& key);

}  // namespace warpmeter::inline record
