#include "record/arrow/arrow_export.h"

#include <array>
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

// What an array refers to.
struct Owned {
  ~Owned() {
    if (used) used->give(place, std::move(column));
  }

  ArrowColumn column;
  std::shared_ptr<UsedColumns> used;
  std::size_t place = 0;
  std::array<const void*, 3> buffers{};
  std::vector<std::unique_ptr<ArrowArray>> owned;
  std::vector<ArrowArray*> children;
};

// A child that was moved away has no release() any more.
void release(ArrowArray* array) {
  const std::unique_ptr<Owned> all(static_cast<Owned*>(array->private_data));
  for (ArrowArray* const child : all->children) {
    if (child->release) child->release(child);
  }
  array->release = nullptr;
}

void fill(ArrowArray& to, std::unique_ptr<Owned> all, std::int64_t rows, std::int64_t buffers) {
  for (const auto& child : all->owned) all->children.push_back(child.get());
  to = {rows,
        all->column.nulls,
        0,
        buffers,
        static_cast<std::int64_t>(all->children.size()),
        all->buffers.data(),
        all->children.data(),
        nullptr,
        release,
        nullptr};
  to.private_data = all.release();
}

void fill_column(ArrowArray& to, ArrowColumn&& column, std::int64_t rows, const std::shared_ptr<UsedColumns>& used = {},
                 std::size_t place = 0) {
  auto all = std::make_unique<Owned>();
  all->used = used;
  all->place = place;
  all->column = std::move(column);
  const ArrowColumn& c = all->column;
  const bool is_text = !c.offsets.empty();
  all->buffers[0] = c.nulls ? c.validity.data() : nullptr;
  if (is_text) all->buffers[1] = c.offsets.data();
  if (!c.items.empty()) {
    ArrowColumn items = std::move(all->column.items[0]);
    const std::int64_t count = all->column.offsets.back();
    all->owned.push_back(std::make_unique<ArrowArray>());
    fill_column(*all->owned.back(), std::move(items), count);
    return fill(to, std::move(all), rows, 2);
  }
  all->buffers[is_text ? 2 : 1] = c.values.data();
  fill(to, std::move(all), rows, is_text ? 3 : 2);
}

}  // namespace

std::string_view arrow_format_of(Type type) {
  switch (type) {
    case Type::address:
    case Type::text: return "u";
    case Type::texts: return "+l";
    case Type::uint8: return "C";
    case Type::uint16: return "S";
    case Type::count:
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
    if (one.is_list()) {
      auto item = std::make_unique<Field>();
      item->name = "item";
      field->owned.push_back(std::make_unique<ArrowSchema>());
      fill(*field->owned.back(), std::move(item), one.items.data(), 0);
    }
    whole->owned.push_back(std::make_unique<ArrowSchema>());
    fill(*whole->owned.back(), std::move(field), one.format.data(), one.nullable ? ARROW_FLAG_NULLABLE : 0);
  }
  fill(to, std::move(whole), "+s", 0);
}

ArrowColumn UsedColumns::take(std::size_t place) {
  const std::scoped_lock lock(mutex_);
  std::vector<ArrowColumn>& columns = columns_[place];
  if (columns.empty()) return {};
  ArrowColumn column = std::move(columns.back());
  columns.pop_back();
  return column;
}

void UsedColumns::give(std::size_t place, ArrowColumn&& column) {
  const std::scoped_lock lock(mutex_);
  if (columns_[place].size() < kMostOfPlace) columns_[place].push_back(std::move(column));
}

void export_array(std::vector<ArrowColumn> columns, std::int64_t rows, ArrowArray& to,
                  const std::shared_ptr<UsedColumns>& used) {
  auto whole = std::make_unique<Owned>();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    whole->owned.push_back(std::make_unique<ArrowArray>());
    fill_column(*whole->owned.back(), std::move(columns[i]), rows, used, i);
  }
  fill(to, std::move(whole), rows, 1);
}

}  // namespace warpmeter::inline record
