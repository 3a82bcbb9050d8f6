#include "record/arrow/arrow_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "record/read/flow_row.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

// 'l' or 'L' of a list, by how wide its offsets are.
char list_of(const ArrowSchema& field) {
  const std::string_view format = field.format ? field.format : "";
  const bool is_list = (format == "+l" || format == "+L") && field.n_children == 1 && field.children &&
                       field.children[0] && !field.dictionary;
  return is_list ? format[1] : '\0';
}

template <class Offset>
std::pair<std::int64_t, std::int64_t> ends_of_list(const ArrowArray& array, std::int64_t row) {
  const Offset* const offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset + row;
  return {offsets[0], offsets[1]};
}

}  // namespace

ArrowStream::ArrowStream(ArrowArrayStream& given, std::string name)
    : stream_(std::exchange(given, {})), name_(std::move(name)) {
  if (!stream_.release) throw Error(name_ + ": the stream was taken already");
}

ArrowStream::~ArrowStream() {
  if (stream_.release) stream_.release(&stream_);
}

void ArrowStream::check(int status) {
  if (status == 0) return;
  const char* const said = stream_.get_last_error(&stream_);
  throw Error(name_ + ": " + (said ? said : std::strerror(status)));
}

ArrowSchema ArrowStream::schema() {
  ArrowSchema schema{};
  check(stream_.get_schema(&stream_, &schema));
  if (!schema.release) throw Error(name_ + ": the stream has no schema");
  return schema;
}

std::optional<ArrowArray> ArrowStream::next() {
  ArrowArray array{};
  check(stream_.get_next(&stream_, &array));
  if (!array.release) return std::nullopt;
  return array;
}

ArrowReader::ArrowReader(ArrowArrayStream& stream, std::string name) : stream_(stream, std::move(name)) {
  ArrowSchema schema = stream_.schema();
  try {
    find_columns(schema);
  } catch (const Error& error) {
    schema.release(&schema);
    throw CaptureError(error.what());
  }
  schema.release(&schema);
}

ArrowReader::~ArrowReader() {
  if (array_) array_->release(&*array_);
}

void ArrowReader::refuse(const std::string& why) const { throw Error(stream_.name() + ": " + why); }

void ArrowReader::find_columns(const ArrowSchema& schema) {
  if (!schema.format || std::strcmp(schema.format, "+s") != 0) refuse("no Flow Records: it has no columns");
  if (schema.n_children < 0 || (schema.n_children > 0 && !schema.children)) refuse("its schema makes no sense");
  children_ = schema.n_children;
  NamedColumns named;
  for (std::int64_t i = 0; i < children_; ++i) {
    const ArrowSchema* const child = schema.children[i];
    if (!child) refuse("its schema makes no sense");
    const char* const name = child->name ? child->name : "";  // Arrow lets it be null
    if (const std::string why = named.add(name); !why.empty()) refuse("no Flow Records: " + why);
  }
  if (const std::string_view name = named.missing(); !name.empty()) {
    refuse("no Flow Records: there is no column " + std::string(name));
  }
  layout_ = named.layout();
  for (std::int64_t i = 0; i < children_; ++i) {
    if (const auto& place = named.places()[static_cast<std::size_t>(i)]) add_column(*place, *schema.children[i], i);
  }
  find_annotations(schema, named);
  add_annotation_columns(layout_.extra, named.of_annexes());
  if (!layout_.extra.empty()) annotations_ = &noted_;
}

void ArrowReader::find_annotations(const ArrowSchema& schema, const NamedColumns& named) {
  const auto name_of = [&](std::int64_t i) {
    return std::string_view(schema.children[i]->name ? schema.children[i]->name : "");
  };
  const auto type_of = [&](std::int64_t i) -> std::optional<ArrowType> {
    const ArrowSchema& field = *schema.children[i];
    const bool is_list = name_of(i) == kLabelsName && list_of(field);
    const std::optional<ArrowType> type = ArrowType::of(is_list ? *field.children[0] : field);
    return type && type->is_text() ? type : std::nullopt;
  };
  std::int64_t labels = 0;
  while (labels < children_ && (name_of(labels) != kLabelsName || !type_of(labels))) ++labels;
  if (labels == children_) return;
  noted_columns_.add(kLabelsName);  // whatever there is no room for
  for (std::int64_t i = 0; i < children_; ++i) {
    if (named.places()[static_cast<std::size_t>(i)]) continue;
    const std::optional<ArrowType> type = type_of(i);
    const auto number = type ? noted_columns_.add(name_of(i)) : std::nullopt;
    // Columns may have the same name.
    if (!number || std::ranges::find(noted_of_, *number, &NotedColumn::number) != noted_of_.end()) continue;
    noted_of_.push_back({*number, *type, name_of(i) == kLabelsName ? list_of(*schema.children[i]) : '\0', i});
  }
  layout_.extra = noted_columns_.columns();
}

void ArrowReader::add_column(const Place& place, const ArrowSchema& field, std::int64_t child) {
  const std::optional<ArrowType> type = ArrowType::of(field);
  if (!type) refuse("the type of its column " + place.name() + " is none that Flow Records can have");
  columns_.push_back({place, *type, child});
  // The type tells the unit, whatever the name does.
  if (type->ns_per_unit()) columns_.back().place.form = TimeForm::ns;
}

void ArrowReader::check(const ArrowArray& array) const {
  const std::string batch = "a batch after row " + std::to_string(rows_read_) + " ";
  std::int64_t rows = 0;
  if (array.length < 0 || array.offset < 0 || __builtin_add_overflow(array.offset, array.length, &rows)) {
    refuse(batch + "has an impossible length or offset");
  }
  if (array.n_children != children_ || !array.children) refuse(batch + "has not the columns of the schema");
  for (const Column& column : columns_) {
    const std::string problem = column.type.problem_of(array.children[column.child], rows);
    if (!problem.empty()) refuse(batch + "makes no sense: " + column.place.name() + " " + problem);
  }
  for (const NotedColumn& column : noted_of_) {
    const std::string problem = problem_of(column, array.children[column.child], rows);
    const std::string_view name = noted_columns_.columns()[column.number]->name();
    if (!problem.empty()) refuse(batch + "makes no sense: " + std::string(name) + " " + problem);
  }
}

std::string ArrowReader::problem_of(const NotedColumn& column, const ArrowArray* array, std::int64_t rows) {
  if (!column.list) return column.type.problem_of(array, rows);
  std::string problem = ArrowType::problem_of_offsets(array, rows);
  if (!problem.empty()) return problem;
  if (array->n_children != 1 || !array->children) return "has no values";
  return column.type.problem_of(array->children[0], 0);
}

bool ArrowReader::open_next_array() {
  while (!array_ || row_ == array_->length) {
    if (array_) {
      rows_read_ += static_cast<std::uint64_t>(array_->length);
      array_->release(&*array_);
      array_.reset();
    }
    array_ = stream_.next();
    if (!array_) return false;
    row_ = array_->length;  // none is read of one that is refused
    check(*array_);
    row_ = 0;
  }
  return true;
}

bool ArrowReader::put(const Column& column, std::int64_t row) {
  const ArrowArray& array = *array_->children[column.child];
  if (column.type.is_none(array, row)) return true;
  bool good = true;
  if (column.type.is_text()) {
    const std::optional<std::string_view> text = column.type.text(array, row);
    if (!text) {
      why_ = column.place.name() + ": where its text is makes no sense";
      return false;
    }
    good = flow_row_.put(column.place, *text);
  } else {
    std::optional<std::int64_t> value = column.type.number(array, row);
    const std::int64_t unit = column.type.ns_per_unit();
    if (!value || (unit && __builtin_mul_overflow(*value, unit, &*value))) {
      why_ = column.place.name() + ": too large, or no whole number";
      return false;
    }
    good = flow_row_.put(column.place, *value);
  }
  if (!good) why_ = flow_row_.why();
  return good;
}

// What is not there, or makes no sense, is none: other programs' columns may hold anything.
void ArrowReader::note(const NotedColumn& column, const ArrowArray& texts, std::int64_t row) {
  if (column.type.is_none(texts, row)) return;
  if (const auto text = column.type.text(texts, row)) noted_columns_.note(noted_, column.number, *text);
}

void ArrowReader::take_annotations(std::int64_t row) {
  noted_.clear();
  for (const NotedColumn& column : noted_of_) {
    const ArrowArray& array = *array_->children[column.child];
    if (!column.list) {
      note(column, array, row);
      continue;
    }
    if (ArrowType::is_null_list(array, row)) continue;
    const auto [begin, end] =
        column.list == 'l' ? ends_of_list<std::int32_t>(array, row) : ends_of_list<std::int64_t>(array, row);
    const ArrowArray& texts = *array.children[0];
    if (begin < 0 || end > texts.length) continue;
    for (std::int64_t at = begin; at < end && at - begin < std::int64_t{NotedColumns::kMostLabels}; ++at) {
      note(column, texts, at);
    }
  }
}

bool ArrowReader::next(Biflow& flow) {
  if (!open_next_array()) return false;
  const std::int64_t row = array_->offset + row_++;
  flow_row_.clear();
  bool good = true;
  for (const Column& column : columns_) good = good && put(column, row);
  if (good && !flow_row_.finish(layout_.absent, flow)) {
    good = false;
    why_ = flow_row_.why();
  }
  if (!good) refuse("row " + std::to_string(rows_read_ + static_cast<std::uint64_t>(row_)) + ": " + why_);
  if (layout_.extra.empty()) return true;
  take_annotations(row);
  flow_row_.give_annexes(noted_);
  return true;
}

}  // namespace warpmeter::inline record
