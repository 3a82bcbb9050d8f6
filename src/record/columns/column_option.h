// The columns that options add to Flow Records, in files of their own: the option, what it says of itself, and what
// makes the column of it. Commands that write Flow Records, the manual and the tests take them from here.
//
// Threads: any, at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/extra_column.h"
#include "core/observed_points.h"
#include "core/record_layout.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {

struct ColumnOption {
  // What the column may depend on: a second option, with this name behind that of the column. No name: on nothing.
  struct Number {
    std::string_view name;
    std::uint64_t most = 0;
    std::string_view help;
  };

  // Which Flow Records have it, of those columns that stand in Parquet unasked; none: this one does not.
  enum class Needs : std::uint8_t { none, numbered, numbered_biflows, biflows };

  std::string_view column;   // its name, from which the option has its own
  std::string_view meaning;  // of the column, for the manual
  std::string_view help;     // of the option; empty: it has none of its own, and is named in --columns
  Number number;
  Needs needs = Needs::none;
  std::shared_ptr<const ExtraColumn> (*make)(std::uint64_t number);  // 0 where none is given

  bool of_biflows() const { return needs == Needs::biflows || needs == Needs::numbered_biflows; }
  bool in_ipfix() const { return needs != Needs::none; }
  bool of_numbered() const { return needs == Needs::numbered || needs == Needs::numbered_biflows; }
  bool stands_in(const RecordLayout& layout) const {
    return needs != Needs::none && (layout.biflow || !of_biflows()) && (layout.numbered || !of_numbered());
  }

  std::string option() const;         // "--community-id"
  std::string number_option() const;  // "--community-id-seed". REQUIRES: number has a name
};

// "--community-id" of "community_id".
std::string option_of_column(std::string_view column);

// In the order in which their columns stand.
std::span<const ColumnOption> column_options();

// Puts those that stand in Parquet unasked behind all others.
void add_standing_columns(RecordLayout& layout);

// Nothing where it is not known.
std::optional<std::int64_t> first_packet_of(const FlowRecord& record);
// `reverse`: null without another direction. Nothing where there was no handshake, or it cannot be told.
std::optional<std::int64_t> handshake_of(const FlowRecord& record, const FlowRecord* reverse,
                                         TimeForm form = TimeForm::ns);

// Those of --interface-columns of a live capture, `interface` and `direction`: where the first packet of a flow was
// observed, by the name of the Observation Point, and which way it went there, as flowDirection of IPFIX. `points` must
// outlive them.
ExtraColumns observed_columns(const ObservedPoints& points);

// Community ID of a Flow Key, for filters that ask for flows by it; community_id.cc has its definition, and its column.
// With seed 0, such as "1:LQU9qZlK+B5F3KDmev6m5PMibrg=".
std::string community_id_of(const FlowKey& key);

}  // namespace warpmeter::inline record
