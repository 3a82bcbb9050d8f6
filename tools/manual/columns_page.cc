#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analysis/query/field.h"
#include "command/show/row_output.h"
#include "manual/option_sections.h"
#include "manual/pages.h"
#include "record/columns/column_option.h"
#include "warpmeter/columns.h"
#include "warpmeter/end_reason.h"

namespace warpmeter {
namespace {

struct Element {
  std::string_view column, name;
};
#define WARPMETER_ELEMENT(name, protocols, unit, methods, title, element, ...) {#name, element},
constexpr Element kElements[] = {WARPMETER_FLOW_COUNTERS(WARPMETER_ELEMENT)};
#undef WARPMETER_ELEMENT

std::string_view words_of(FieldType type) {
  switch (type) {
    case FieldType::address: return "address";
    case FieldType::port: return "port";
    case FieldType::protocol: return "number of a protocol";
    case FieldType::number: return "number";
    case FieldType::bytes: return "bytes";
    case FieldType::time: return "time, ns since 1970 UTC";
    case FieldType::span: return "time, ns";
    case FieldType::share: return "share, 0 to 1";
    case FieldType::decimal: return "number, perhaps with a fraction";
    case FieldType::flags: return "number, of TCP's flags";
    case FieldType::end_reason: return "number, see below";
    case FieldType::endpoint: return "address and port, in tables";
    case FieldType::text: return "text";
    case FieldType::texts: return "texts, in CSV with semicolons between";
  }
  return "";
}

std::string what_is_known_of(std::string_view name) {
  std::string text = roff_styled(meaning_of(name)) + ".";
  const std::size_t column = column_number(name);
  if (column < kColumns.size()) {
    if (kColumns[column].tcp_only) text += " Of TCP alone.";
    if (not_counted_by(Method::five_tuple) >> column & 1) {
      text += roff_styled(" Not counted by --method five-tuple.");
    }
  }
  const auto field = Field::of(name);
  if (field && field->name() == name) text += " In tables: " + roff_literal(field_title(std::string(name))) + ".";
  for (const Element& element : kElements) {
    if (element.column == name) text += " In IPFIX: " + roff_literal(element.name) + ".";
  }
  return text;
}

void add_field(Roff& roff, std::string_view name) {
  const auto field = Field::of(name);
  const std::string type = field ? fmt::format(" ({})", words_of(field->type())) : "";
  roff.entry(roff_bold(name) + roff_literal(type), what_is_known_of(name));
}

void add_columns(Roff& roff) {
  roff.heading("Columns");
  roff.paragraph(
      "A Flow Record has these, in this order, as CSV, as JSON lines and as Parquet. What does not apply is empty in "
      "CSV and null in JSON and Parquet.");
  for (const std::string_view name : kKeyColumns) add_field(roff, name);
  for (const Column& column : kColumns) add_field(roff, column.name);
  roff.paragraph("Where they are asked for, or the format has them, these stand behind:");
  for (const std::string_view name : {kVlanColumn, time_names(TimeForm::ns).duration}) add_field(roff, name);
  for (const ColumnOption& option : column_options()) {
    roff.entry(roff_bold(option.column), roff_styled(option.meaning) + ".");
  }
  roff.entry(roff_bold(std::string(kReversePrefix) + "*"),
             roff_styled("of a biflow (--biflow), the same of the other direction, from " +
                         std::string(time_names(TimeForm::ns).start) + " on."));
}

// What `show` knows beside the columns.
void add_other_fields(Roff& roff) {
  roff.heading("Other names");
  roff.paragraph(page_reference("warpmeter-show", 1) + " and " + page_reference("warpmeter-filter", 7) +
                 " know these, too.");
  for (const std::string& name : field_names()) {
    const bool is_column = column_number(name) < kColumns.size() || name == kVlanColumn ||
                           name == time_names(TimeForm::ns).duration ||
                           std::find(std::begin(kKeyColumns), std::end(kKeyColumns), name) != std::end(kKeyColumns);
    if (is_column) continue;
    const auto field = Field::of(name);
    roff.entry(roff_bold(name) + roff_literal(fmt::format(" ({})", words_of(field->type()))),
               roff_styled(meaning_of(name)) + ".");
  }
}

void add_times(Roff& roff) {
  roff.heading("Forms of times");
  roff.paragraph(roff_styled("Names follow the form of the times, --times:"));
  for (const auto& [word, form] : {std::pair("ns", TimeForm::ns), {"us", TimeForm::us}, {"iso", TimeForm::iso}}) {
    const TimeNames names = time_names(form);
    roff.entry(roff_bold(word),
               roff_literal(fmt::format("{}, {}, {}, {}", names.start, names.end, names.duration, names.connection)));
  }
}

void add_end_reasons(Roff& roff) {
  roff.heading("End reasons");
  for (std::size_t i = 1; i < kEndReasonWords.size(); ++i) {
    roff.entry(roff_bold(std::to_string(i)), roff_literal(kEndReasonWords[i]));
  }
}

}  // namespace

std::string columns_page(const CLI::App& app, const ManualSources& sources) {
  Roff roff =
      begin_page(sources, "warpmeter-columns", 5, "what the columns of Flow Records mean, and what counts as what");
  add_columns(roff);
  add_times(roff);
  add_end_reasons(roff);
  add_other_fields(roff);
  const LinkText links = links_on(sources, "warpmeter-columns");
  for (const MarkdownSection& section : read_paper(sources, "docs/definitions.md")) {
    if (section.level == 1) continue;  // it speaks to those who read the code
    roff.heading(without_marks(section.heading));
    add_markdown(roff, section, links);
  }
  add_see_also(roff, names_of_commands(app), "warpmeter-columns");
  return roff.text();
}

}  // namespace warpmeter
