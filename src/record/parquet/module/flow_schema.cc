#include "record/parquet/module/flow_schema.h"

namespace warpmeter::inline record {
namespace {

using Type = TypedColumn::Type;
using ::parquet::LogicalType;

// As the format has lists: a group, within it one that repeats, and in that the text.
::parquet::schema::NodePtr list_node(const TypedColumn& column) {
  using ::parquet::Repetition;
  const auto text = ::parquet::schema::PrimitiveNode::Make("element", Repetition::REQUIRED, LogicalType::String(),
                                                           ::parquet::Type::BYTE_ARRAY);
  const auto repeated = ::parquet::schema::GroupNode::Make("list", Repetition::REPEATED, {text});
  return ::parquet::schema::GroupNode::Make(column.name, Repetition::REQUIRED, {repeated}, LogicalType::List());
}

::parquet::schema::NodePtr node(const TypedColumn& column) {
  if (column.type == Type::texts) return list_node(column);
  const auto repetition = column.nullable() ? ::parquet::Repetition::OPTIONAL : ::parquet::Repetition::REQUIRED;
  const auto logical = [&] {
    switch (column.type) {
      case Type::address:
      case Type::text:
      case Type::texts: return LogicalType::String();
      case Type::uint8: return LogicalType::Int(8, false);
      case Type::uint16: return LogicalType::Int(16, false);
      case Type::uint64: return LogicalType::Int(64, false);
      case Type::int64: return LogicalType::Int(64, true);
      case Type::time_us: return LogicalType::Timestamp(true, LogicalType::TimeUnit::MICROS);
      case Type::time: break;
    }
    return LogicalType::Timestamp(true, LogicalType::TimeUnit::NANOS);
  }();
  const auto physical = column.text()       ? ::parquet::Type::BYTE_ARRAY
                        : is_narrow(column) ? ::parquet::Type::INT32
                                            : ::parquet::Type::INT64;
  return ::parquet::schema::PrimitiveNode::Make(column.name, repetition, logical, physical);
}

}  // namespace

std::shared_ptr<::parquet::schema::GroupNode> file_schema(const std::vector<TypedColumn>& columns) {
  ::parquet::schema::NodeVector fields;
  for (const TypedColumn& column : columns) fields.push_back(node(column));
  return std::static_pointer_cast<::parquet::schema::GroupNode>(
      ::parquet::schema::GroupNode::Make("flow_record", ::parquet::Repetition::REQUIRED, fields));
}

}  // namespace warpmeter::inline record
