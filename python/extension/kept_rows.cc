#include "kept_rows.h"

#include <algorithm>
#include <string_view>

#include "warpmeter/status.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

std::string type_name(const ArrowSchema& column) {
  constexpr std::pair<std::string_view, const char*> kNames[] = {{"u", "string"},
                                                                 {"C", "uint8"},
                                                                 {"S", "uint16"},
                                                                 {"I", "uint32"},
                                                                 {"L", "uint64"},
                                                                 {"l", "int64"},
                                                                 {"g", "double"},
                                                                 {"tsn:UTC", "timestamp[ns, tz=UTC]"},
                                                                 {"tsu:UTC", "timestamp[us, tz=UTC]"},
                                                                 {"tDn", "duration[ns]"},
                                                                 {"tDu", "duration[us]"}};
  const std::string_view format = column.format;
  if (format == "+l") {
    const ArrowSchema& item = *column.children[0];
    return std::string("list<") + item.name + ": " + type_name(item) +
           (item.flags & ARROW_FLAG_NULLABLE ? ">" : " not null>");
  }
  const auto* const known = std::ranges::find(kNames, format, &std::pair<std::string_view, const char*>::first);
  if (known == std::end(kNames)) throw Error("a column has a type that is none of ours: " + std::string(format));
  return known->second;
}

bool is_null(const ArrowArray& column, std::int64_t at) {
  const auto* const validity = static_cast<const std::uint8_t*>(column.buffers[0]);
  return validity && (validity[at / 8] >> at % 8 & 1) == 0;
}

// `at`, of all of these: with the offset of the column.
template <class T>
T number_at(const ArrowArray& column, std::int64_t at) {
  return static_cast<const T*>(column.buffers[1])[at];
}

nb::str text_at(const ArrowArray& column, std::int64_t at) {
  const auto* const offsets = static_cast<const std::int32_t*>(column.buffers[1]);
  const auto size = static_cast<std::size_t>(offsets[at + 1] - offsets[at]);
  return nb::str(static_cast<const char*>(column.buffers[2]) + offsets[at], size);
}

nb::object value_at(const ArrowSchema& type, const ArrowArray& column, std::int64_t at) {
  if (is_null(column, at)) return nb::none();
  switch (type.format[0]) {
    case 'u': return text_at(column, at);
    case 'C': return nb::int_(number_at<std::uint8_t>(column, at));
    case 'S': return nb::int_(number_at<std::uint16_t>(column, at));
    case 'I': return nb::int_(number_at<std::uint32_t>(column, at));
    case 'L': return nb::int_(number_at<std::uint64_t>(column, at));
    case 'l':
    case 't': return nb::int_(number_at<std::int64_t>(column, at));
    case 'g': return nb::float_(number_at<double>(column, at));
    default: break;  // a list
  }
  const auto* const offsets = static_cast<const std::int32_t*>(column.buffers[1]);
  const ArrowArray& items = *column.children[0];
  nb::list values;
  for (std::int64_t i = offsets[at]; i < offsets[at + 1]; ++i)
    values.append(value_at(*type.children[0], items, items.offset + i));
  return values;
}

// The struct and its columns, cut: takers need not know of an offset of the struct itself.
Shared<ArrowArray> cut(const Shared<ArrowArray>& whole, std::int64_t first, std::int64_t count) {
  ArrowArray part{};
  give(whole, part);
  for (std::int64_t i = 0; i < part.n_children; ++i) {
    ArrowArray& column = *part.children[i];
    column.offset += first;
    column.length = count;
    if (column.null_count > 0) column.null_count = -1;  // to be counted
  }
  part.length = count;
  return share(std::move(part));
}

// What is not chosen goes with the rest.
template <class T>
Shared<T> chosen(const Shared<T>& whole, const std::vector<std::size_t>& columns) {
  T part{};
  give(whole, part);
  std::vector<T*> children;
  for (const std::size_t column : columns) children.push_back(part.children[column]);
  std::ranges::copy(children, part.children);
  part.n_children = static_cast<std::int64_t>(columns.size());
  return share(std::move(part));
}

}  // namespace

std::int64_t KeptRows::rows() const {
  std::int64_t rows = 0;
  for (const Shared<ArrowArray>& array : arrays_) rows += array->length;
  return rows;
}

std::vector<std::pair<std::string, std::string>> KeptRows::columns() const {
  std::vector<std::pair<std::string, std::string>> columns;
  for (std::int64_t i = 0; i < schema_->n_children; ++i) {
    columns.emplace_back(schema_->children[i]->name, type_name(*schema_->children[i]));
  }
  return columns;
}

std::vector<Batch> KeptRows::batches() const {
  std::vector<Batch> batches;
  for (const Shared<ArrowArray>& array : arrays_) batches.push_back({schema_, array});
  return batches;
}

KeptRows KeptRows::slice(std::int64_t first, std::int64_t count) const {
  std::vector<Shared<ArrowArray>> arrays;
  for (const Shared<ArrowArray>& array : arrays_) {
    const std::int64_t from = std::min(first, array->length), some = std::min(count, array->length - from);
    if (some == array->length) arrays.push_back(array);
    else if (some > 0) arrays.push_back(cut(array, from, some));
    first -= from;
    count -= some;
  }
  return {schema_, std::move(arrays)};
}

KeptRows KeptRows::select(const std::vector<std::size_t>& columns) const {
  std::vector<Shared<ArrowArray>> arrays;
  for (const Shared<ArrowArray>& array : arrays_) arrays.push_back(chosen(array, columns));
  return {chosen(schema_, columns), std::move(arrays)};
}

KeptRows KeptRows::column(std::size_t column) const {
  std::vector<Shared<ArrowArray>> arrays;
  for (const Shared<ArrowArray>& array : arrays_) arrays.emplace_back(array, array->children[column]);
  return {Shared<ArrowSchema>(schema_, schema_->children[column]), std::move(arrays)};
}

nb::list KeptRows::values(std::size_t column) const {
  const ArrowSchema& type = *schema_->children[column];
  nb::list values;
  for (const Shared<ArrowArray>& array : arrays_) {
    const ArrowArray& part = *array->children[column];
    for (std::int64_t i = 0; i < part.length; ++i) values.append(value_at(type, part, part.offset + i));
  }
  return values;
}

}  // namespace warpmeter::python
