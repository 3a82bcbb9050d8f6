// What of a flow can be asked for by name: to be compared, sorted by, shown. The columns of the CSV and what follows
// from them; of a biflow, reverse_NAME is that of the other direction. Columns of annotations have the names that files
// give them, so that only who has seen the files knows whether there is one. And what each name means, for manuals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/annotations.h"
#include "core/extra_column.h"
#include "core/record_reader.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline analysis {

// What the value is, and with it how it is written and compared.
enum class FieldType : std::uint8_t {
  address,
  port,
  protocol,
  number,  // packets, times it happened, VLAN id, IP version
  bytes,
  time,  // ns since 1970 UTC
  span,  // ns
  share,
  decimal,  // a number that may have a fraction; only of sums
  flags,
  end_reason,
  endpoint,  // address and port; to be shown only
  text,
  texts,  // a list, perhaps empty
};

struct Field {
  enum class Kind : std::uint8_t {
    source_address,
    destination_address,
    either_address,  // these two only in filters
    either_port,
    source_port,
    destination_port,
    protocol,
    start,
    end,
    duration,
    vlan,
    version,
    retransmission_share,  // retransmitted_segments / data_segments
    handshake,             // these two of both directions together
    unanswered,            // 1 or 0; only in filters
    community_id,
    first_packet,
    source,  // address and port
    destination,
    column,
    annotation,
    either_annotation,  // of either end of the flow, as source_X and destination_X; only in filters and sums
    annex,
  };
  Kind kind = Kind::column;
  std::uint8_t column = 0;  // in kColumns, or an AnnexField
  bool reverse = false;
  std::uint32_t annotation = 0;    // in AnnotationNames
  std::uint32_t of_other_end = 0;  // the same, of either_annotation: `annotation` is the source's

  // Nothing if there is no such field, but perhaps a column of annotations.
  static std::optional<Field> of(std::string_view name);
  // The column of annotations that would have this name. Nothing for what is none.
  static std::optional<Field> of_annotation(std::string_view name);
  FieldType type() const;
  std::string name() const;
  bool in_filters_only() const {
    return kind == Kind::either_address || kind == Kind::either_port || kind == Kind::either_annotation ||
           kind == Kind::unanswered;
  }
  bool is_noted() const { return kind == Kind::annotation || kind == Kind::either_annotation; }
  bool is_of_biflows() const { return reverse || kind == Kind::handshake || kind == Kind::unanswered; }
  bool is_sortable() const { return !in_filters_only() && type() != FieldType::endpoint && kind != Kind::community_id; }

  friend bool operator==(const Field&, const Field&) = default;
};

// The direction that the field is of; null if the flow does not have it.
const FlowRecord* record_of(Field field, const Biflow& flow);

// Whether there is a column of annotations of that name; host_X is there where source_X is.
bool has_noted_column(const ExtraColumns& columns, std::string_view name);

// "'source_country' is a column that ... adds" for names of that option; "" for others.
std::string missing_geo_column(std::string_view name);

// Of an annotation or an annex: the texts of a list, with semicolons between. "" if there is none.
std::string annotation_text(Field field, const Annotations& noted);

// Nothing where it does not apply. REQUIRES, of both: no text, no address, no share, nothing of either end.
std::optional<std::int64_t> whole_value(Field field, const Biflow& flow);
std::optional<std::int64_t> whole_value(Field field, const Biflow& flow, const Annotations& noted);
// The same of one direction, whichever: what is of both together does not apply.
std::optional<std::int64_t> whole_value(Field field, const FlowRecord& record);

// Of data segments, 0 to 1; nothing without any.
std::optional<double> retransmission_share(const FlowRecord& record);

// All names, without those of the other direction.
std::vector<std::string> field_names();

// Those of `names` that a typing error away `name` might have been meant, the best first, a few at most.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names);

// "'pakets' is no column (near: packets, ...)".
std::string no_such_field(std::string_view name, std::vector<std::string> names = field_names());

// What a field's name means, in a line: for the manual and for what shells show beside a completed name. "" if there is
// no field of that name. The exact rules are in docs/definitions.md.
std::string_view meaning_of(std::string_view name);

}  // namespace warpmeter::inline analysis
