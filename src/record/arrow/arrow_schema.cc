#include "record/arrow/arrow_schema.h"

#include <memory>
#include <string>

namespace warpmeter::inline record {
namespace {

using Type = TypedColumn::Type;

struct Field {
  std::string name;
  std::vector<std::unique_ptr<ArrowSchema>> owned;
  std::vector<ArrowSchema*> children;
};

// A child that was moved away has no release() any more.
void release(ArrowSchema* schema) {
  const std::unique_ptr<Field> field(static_cast<Field*>(schema->private_data));
  for (ArrowSchema* const child : field->children) {
    if (child->release) child->release(child);
  }
  schema->release = nullptr;
}

void fill(ArrowSchema& to, std::unique_ptr<Field> field, const char* format, std::int64_t flags) {
  for (const auto& child : field->owned) field->children.push_back(child.get());
  to = {format,
        field->name.c_str(),
        nullptr,
        flags,
        static_cast<std::int64_t>(field->children.size()),
        field->children.data(),
        nullptr,
        release,
        nullptr};
  to.private_data = field.release();
}

}  // namespace

std::string_view arrow_format_of(Type type) {
  switch (type) {
    case Type::address:
    case Type::community_id:
    case Type::interface:
    case Type::direction: return "u";
    case Type::uint8: return "C";
    case Type::uint16: return "S";
    case Type::uint64: return "L";
    case Type::int64: return "l";
    case Type::time_us: return "tsu:UTC";
    case Type::time: break;
  }
  return "tsn:UTC";
}

std::vector<ArrowField> arrow_fields(const std::vector<TypedColumn>& columns) {
  std::vector<ArrowField> fields;
  for (const TypedColumn& column : columns) {
    fields.push_back({column.name, arrow_format_of(column.type), column.nullable()});
  }
  return fields;
}

void export_schema(const std::vector<ArrowField>& fields, ArrowSchema& to) {
  auto whole = std::make_unique<Field>();
  for (const ArrowField& one : fields) {
    auto field = std::make_unique<Field>();
    field->name = one.name;
    whole->owned.push_back(std::make_unique<ArrowSchema>());
    fill(*whole->owned.back(), std::move(field), one.format.data(), one.nullable ? ARROW_FLAG_NULLABLE : 0);
  }
  fill(to, std::move(whole), "+s", 0);
}

}  // namespace warpmeter::inline record
