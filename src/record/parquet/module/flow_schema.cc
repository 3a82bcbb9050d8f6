#include "record/parquet/module/flow_schema.h"

namespace warpmeter::inline record {
namespace {

using Type = TypedColumn::Type;
using ::parquet::LogicalType;

::parquet::schema::NodePtr node(const TypedColumn& column) {
  const auto repetition = column.nullable() ? ::parquet::Repetition::OPTIONAL : ::parquet::Repetition::REQUIRED;
  const auto logical = [&] {
    switch (column.type) {
      case Type::address:
      case Type::text: return LogicalType::String();
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
