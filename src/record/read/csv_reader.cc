#include "record/read/text_readers.h"

#include <cstring>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

// Cuts the next field off `rest`, quotes removed. False behind the last one.
bool next_field(const char*& at, const char* end, std::string_view& field) {
  if (at > end) return false;
  const char* const from = at;
  if (at != end && *at == '"') {
    const char* quote = at + 1;
    while (quote != end && (*quote != '"' || (quote + 1 != end && quote[1] == '"'))) quote += *quote == '"' ? 2 : 1;
    if (quote != end) {
      field = {from + 1, static_cast<std::size_t>(quote - from - 1)};
      at = quote + 1;
      if (at == end || *at == ',') return ++at, true;
    }
  }
  const void* comma = std::memchr(from, ',', static_cast<std::size_t>(end - from));
  at = comma ? static_cast<const char*>(comma) : end;
  field = {from, static_cast<std::size_t>(at - from)};
  return ++at, true;
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<TextSource> text) : text_(std::move(text)) {
  const auto refuse = [this](const std::string& why) { throw Error(text_->name() + ": no Flow Records: " + why); };
  if (text_->peek(kByteOrderMark.size(), kByteOrderMark.size()) == kByteOrderMark) text_->skip(kByteOrderMark.size());
  TextLine line;
  if (!text_->next(line)) refuse(text_->broken().empty() ? "it is empty" : text_->broken());
  if (!line.ended && line.text.size() >= TextSource::kLongest) refuse("the first line is too long");
  const char *at = line.text.data(), *const end = at + line.text.size();
  for (std::string_view name; next_field(at, end, name);) {
    if (const std::string why = columns_.add(name); !why.empty()) refuse(why);
  }
  if (const std::string_view name = columns_.missing(); !name.empty()) {
    refuse("the first line names no column " + std::string(name));
  }
  columns_.find_annotations();
  if (!columns_.layout().extra.empty()) annotations_ = &noted_;
}

// Not inlined, it costs other columns nothing.
[[gnu::noinline]] bool CsvReader::note(std::size_t field, std::string_view text) {
  if (const auto number = columns_.noted_number(field)) columns_.noted().note(noted_, *number, text);
  return true;
}

bool CsvReader::take(std::size_t field, std::string_view text) {
  const std::optional<Place>& place = columns_.places()[field];
  if (!place) return note(field, text);
  if (row_.put(*place, text)) return true;
  why_ = row_.why();
  return false;
}

bool CsvReader::read_fields(std::string_view line) {
  row_.clear();
  noted_.clear();
  const char *at = line.data(), *const end = at + line.size();
  std::size_t fields = 0;
  for (std::string_view field; next_field(at, end, field); ++fields) {
    if (fields < columns_.places().size() && !take(fields, field)) return false;
  }
  if (fields == columns_.places().size()) return true;
  why_ = std::to_string(fields) + (fields == 1 ? " column" : " columns") + ", the header has " +
         std::to_string(columns_.places().size());
  return false;
}

bool CsvReader::next(Biflow& flow) {
  if (damage_) return false;
  TextLine line;
  do {
    if (!text_->next(line)) {
      if (const std::string why = text_->broken(); !why.empty()) damage_ = ReadDamage{text_->offset(), why};
      return false;
    }
  } while (line.text.empty() && line.ended);
  why_.clear();
  if (!line.ended && !text_->broken().empty()) why_ = text_->broken();
  else if (!line.ended) why_ = line.text.size() < TextSource::kLongest ? "cut short" : "too long";
  else if (read_fields(line.text)) {
    if (row_.finish(columns_.layout().absent, flow)) {
      row_.give_annexes(noted_);
      return true;
    }
    why_ = row_.why();
  }
  damage_ = ReadDamage{line.offset, "line " + std::to_string(line.number) + ": " + why_};
  return false;
}

}  // namespace warpmeter::inline record
