#include "parquet/module/flow_schema.h"

namespace warpmeter {
namespace {

using Type = FileColumn::Type;
using ::parquet::LogicalType;

Type type_of(const Column& column) {
  switch (column.unit) {
    case Unit::flags:
    case Unit::end_reason: return Type::uint8;
    case Unit::nanoseconds: return Type::int64;
    default: return column.name == "connection_bytes" ? Type::int64 : Type::uint64;
  }
}

template <TimeForm kForm>
void add_moments(std::vector<FileColumn>& columns, bool reverse) {
  const std::string prefix(reverse ? kReversePrefix : "");
  constexpr Type kType = kForm == TimeForm::us ? Type::time_us : Type::time;
  constexpr TimeNames kNames = time_names(kForm);
  columns.push_back({prefix + std::string(kNames.start), kType, reverse, FileColumn::kNoCounter,
                     [](const FlowRecord& r) { return in_unit_of(kForm, r.start_ns); }});
  columns.push_back({prefix + std::string(kNames.end), kType, reverse, FileColumn::kNoCounter,
                     [](const FlowRecord& r) { return in_unit_of(kForm, r.end_ns); }});
}

template <TimeForm kForm>
FileColumn duration_column(bool reverse) {
  const std::string prefix(reverse ? kReversePrefix : "");
  return {prefix + std::string(time_names(kForm).duration), Type::int64, reverse, FileColumn::kNoCounter,
          [](const FlowRecord& r) { return duration_in(kForm, r.start_ns, r.end_ns); }};
}

void add_direction(std::vector<FileColumn>& columns, TimeForm form, bool reverse) {
  if (form == TimeForm::us) add_moments<TimeForm::us>(columns, reverse);
  else add_moments<TimeForm::ns>(columns, reverse);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    std::string name(reverse ? kReversePrefix : "");
    columns.push_back({name += column_name(i, form), type_of(kColumns[i]), reverse, i, nullptr, form});
  }
}

FileColumn duration_column(TimeForm form, bool reverse) {
  return form == TimeForm::us ? duration_column<TimeForm::us>(reverse) : duration_column<TimeForm::ns>(reverse);
}

FileColumn key_column(std::string_view name, Type type, std::int64_t (*of_key)(const FlowRecord&)) {
  return {std::string(name), type, false, FileColumn::kNoCounter, of_key};
}

::parquet::schema::NodePtr node(const FileColumn& column) {
  const auto repetition = column.nullable() ? ::parquet::Repetition::OPTIONAL : ::parquet::Repetition::REQUIRED;
  const auto logical = [&] {
    switch (column.type) {
      case Type::address:
      case Type::community_id: return LogicalType::String();
      case Type::uint8: return LogicalType::Int(8, false);
      case Type::uint16: return LogicalType::Int(16, false);
      case Type::uint64: return LogicalType::Int(64, false);
      case Type::int64: return LogicalType::Int(64, true);
      case Type::time_us: return LogicalType::Timestamp(true, LogicalType::TimeUnit::MICROS);
      case Type::time: break;
    }
    return LogicalType::Timestamp(true, LogicalType::TimeUnit::NANOS);
  }();
  const auto physical = column.text()     ? ::parquet::Type::BYTE_ARRAY
                        : column.narrow() ? ::parquet::Type::INT32
                                          : ::parquet::Type::INT64;
  return ::parquet::schema::PrimitiveNode::Make(column.name, repetition, logical, physical);
}

}  // namespace

std::vector<FileColumn> file_columns(const RecordLayout& layout) {
  std::vector<FileColumn> columns = {
      key_column("src_addr", Type::address, nullptr), key_column("dst_addr", Type::address, nullptr),
      key_column("src_port", Type::uint16,
                 [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.source_port); }),
      key_column("dst_port", Type::uint16,
                 [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.destination_port); }),
      key_column("protocol", Type::uint8, [](const FlowRecord& r) -> std::int64_t { return r.key.protocol; })};
  add_direction(columns, layout.times, false);
  if (layout.vlan) {
    columns.push_back(key_column(kVlanColumn, Type::uint16,
                                 [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.vlan); }));
  }
  if (layout.biflow) add_direction(columns, layout.times, true);
  columns.push_back(duration_column(layout.times, false));
  if (layout.biflow) columns.push_back(duration_column(layout.times, true));
  if (layout.community_id) columns.push_back(key_column(kCommunityIdColumn, Type::community_id, nullptr));
  return columns;
}

std::shared_ptr<::parquet::schema::GroupNode> file_schema(const std::vector<FileColumn>& columns) {
  ::parquet::schema::NodeVector fields;
  for (const FileColumn& column : columns) fields.push_back(node(column));
  return std::static_pointer_cast<::parquet::schema::GroupNode>(
      ::parquet::schema::GroupNode::Make("flow_record", ::parquet::Repetition::REQUIRED, fields));
}

}  // namespace warpmeter
