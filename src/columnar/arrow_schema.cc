#include "columnar/arrow_schema.h"

#include <memory>
#include <string>

namespace warpmeter {
namespace {

using Type = TypedColumn::Type;

const char* format_of(Type type) {
  switch (type) {
    case Type::address:
    case Type::community_id: return "u";
    case Type::uint8: return "C";
    case Type::uint16: return "S";
    case Type::uint64: return "L";
    case Type::int64: return "l";
    case Type::time_us: return "tsu:UTC";
    case Type::time: break;
  }
  return "tsn:UTC";
}

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

void export_schema(const std::vector<TypedColumn>& columns, ArrowSchema& to) {
  auto whole = std::make_unique<Field>();
  for (const TypedColumn& column : columns) {
    auto field = std::make_unique<Field>();
    field->name = column.name;
    whole->owned.push_back(std::make_unique<ArrowSchema>());
    fill(*whole->owned.back(), std::move(field), format_of(column.type), column.nullable() ? ARROW_FLAG_NULLABLE : 0);
  }
  fill(to, std::move(whole), "+s", 0);
}

}  // namespace warpmeter
