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

FileColumn start_column(bool reverse) {
  const std::string prefix(reverse ? kReversePrefix : "");
  return {prefix + "start_ns", Type::time, reverse, FileColumn::kNoCounter,
          [](const FlowRecord& r) { return r.start_ns; }};
}

FileColumn end_column(bool reverse) {
  const std::string prefix(reverse ? kReversePrefix : "");
  return {prefix + "end_ns", Type::time, reverse, FileColumn::kNoCounter, [](const FlowRecord& r) { return r.end_ns; }};
}

void add_counters(std::vector<FileColumn>& columns, bool reverse) {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    std::string name(reverse ? kReversePrefix : "");
    columns.push_back({name += kColumns[i].name, type_of(kColumns[i]), reverse, i});
  }
}

FileColumn key_column(std::string_view name, Type type, std::int64_t (*of_key)(const FlowRecord&)) {
  return {std::string(name), type, false, FileColumn::kNoCounter, of_key};
}

::parquet::schema::NodePtr node(const FileColumn& column) {
  const auto repetition = column.nullable() ? ::parquet::Repetition::OPTIONAL : ::parquet::Repetition::REQUIRED;
  const auto logical = [&] {
    switch (column.type) {
      case Type::address: return LogicalType::String();
      case Type::uint8: return LogicalType::Int(8, false);
      case Type::uint16: return LogicalType::Int(16, false);
      case Type::uint64: return LogicalType::Int(64, false);
      case Type::int64: return LogicalType::Int(64, true);
      case Type::time: break;
    }
    return LogicalType::Timestamp(true, LogicalType::TimeUnit::NANOS);
  }();
  const auto physical = column.type == Type::address ? ::parquet::Type::BYTE_ARRAY
                        : column.narrow()            ? ::parquet::Type::INT32
                                                     : ::parquet::Type::INT64;
  return ::parquet::schema::PrimitiveNode::Make(column.name, repetition, logical, physical);
}

}  // namespace

std::vector<FileColumn> file_columns(const RecordLayout& layout) {
  std::vector<FileColumn> columns = {
      key_column("src_addr", Type::address, nullptr),
      key_column("dst_addr", Type::address, nullptr),
      key_column("src_port", Type::uint16,
                 [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.source_port); }),
      key_column("dst_port", Type::uint16,
                 [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.destination_port); }),
      key_column("protocol", Type::uint8, [](const FlowRecord& r) -> std::int64_t { return r.key.protocol; }),
      start_column(false),
      end_column(false)};
  add_counters(columns, false);
  if (layout.vlan) {
    columns.push_back(key_column(kVlanColumn, Type::uint16,
                                 [](const FlowRecord& r) -> std::int64_t { return port_number(r.key.vlan); }));
  }
  if (layout.biflow) {
    columns.push_back(start_column(true));
    columns.push_back(end_column(true));
    add_counters(columns, true);
  }
  return columns;
}

std::shared_ptr<::parquet::schema::GroupNode> file_schema(const std::vector<FileColumn>& columns) {
  ::parquet::schema::NodeVector fields;
  for (const FileColumn& column : columns) fields.push_back(node(column));
  return std::static_pointer_cast<::parquet::schema::GroupNode>(
      ::parquet::schema::GroupNode::Make("flow_record", ::parquet::Repetition::REQUIRED, fields));
}

}  // namespace warpmeter
