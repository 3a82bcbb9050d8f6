// The options that say which columns files of Flow Records have.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>

#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/words/printable.h"
#include "command/show/chosen_columns.h"
#include "record/columns/column_option.h"
#include "record/write/anonymized_writer.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

std::string named_columns() {
  std::string names;
  for (const ColumnOption& column : column_options()) (names += names.empty() ? "" : ", ") += column.column;
  return names;
}

bool can_be_added(const std::string& name) {
  return std::ranges::find(column_options(), name, &ColumnOption::column) != column_options().end();
}

constexpr char kChooses = '=';  // before a list that would add

// Which names the user may have written.
Naming naming_of(const OutputWords& w) {
  if (w.has_log) return Naming::zeek;
  return w.naming.value_or(Naming::usual);
}

bool is_column(const std::string& name, Naming naming) {
  return Field::of(name) || !column_of(naming, name).empty() || other_value(naming, name);
}

// Names in --columns are added at the end if no other column is among them; otherwise they are all that a file has.
bool chooses_columns(const OutputWords& w) {
  if (w.columns.starts_with(kChooses)) return true;
  const std::vector<std::string> names = split_columns("--columns", w.columns);
  return std::ranges::any_of(names,
                             [&w](const auto& name) { return !can_be_added(name) && is_column(name, naming_of(w)); });
}

// An option that adds a column says nothing where others are chosen, but how this one is made.
void refuse_unchosen(const OutputWords& w, const std::vector<std::string>& chosen) {
  for (std::size_t i = 0; i < w.extra_columns.size(); ++i) {
    const ColumnOption& column = column_options()[i];
    const auto is_it = [&](const std::string& name) {
      return name == column.column || column_of(naming_of(w), name) == column.column;
    };
    if (!w.extra_columns[i].is_wanted || std::ranges::any_of(chosen, is_it)) continue;
    throw Error(fmt::format("{}: --columns chooses others; name {} there", column.option(), column.column),
                ExitStatus::usage);
  }
}

}  // namespace

ColumnChoice choice_of(const OutputWords& w) {
  if (!chooses_columns(w)) return {{}, w.naming.value_or(Naming::usual)};
  const std::string names = w.columns.substr(w.columns.starts_with(kChooses) ? 1 : 0);
  if (names.empty()) throw Error("--columns: a name is empty", ExitStatus::usage);
  ColumnChoice choice{split_columns("--columns", names), w.naming.value_or(Naming::usual)};
  refuse_unchosen(w, choice.columns);
  return choice;
}

std::vector<bool> wanted_columns(const OutputWords& w) {
  const std::span<const ColumnOption> known = column_options();
  std::vector<bool> wanted;
  for (const auto& words : w.extra_columns) wanted.push_back(words.is_wanted);
  if (chooses_columns(w)) return wanted;
  for (const std::string& name : split_columns("--columns", w.columns)) {
    const auto found = std::ranges::find(known, name, &ColumnOption::column);
    if (found != known.end()) {
      wanted[static_cast<std::size_t>(found - known.begin())] = true;
      continue;
    }
    throw Error("--columns: '" + shortened(name) + "' is none that can be added: " + named_columns() +
                    "; nor is it a column to choose (see show --help)",
                ExitStatus::usage);
  }
  return wanted;
}

ExtraColumns extra_columns_of(const OutputWords& w) {
  ExtraColumns columns;
  const std::vector<bool> wanted = wanted_columns(w);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) columns.push_back(column_options()[i].make(w.extra_columns[i].number.value_or(0)));
  }
  return columns;
}

void add_column_flags(CLI::App& app, OutputWords& w) {
  for (std::size_t i = 0; i < w.extra_columns.size(); ++i) {
    const ColumnOption& column = column_options()[i];
    if (column.help.empty()) continue;
    OutputWords::ExtraColumnWords& words = w.extra_columns[i];
    CLI::Option* const flag = app.add_flag(column.option(), words.is_wanted, std::string(column.help));
    if (column.number.name.empty()) continue;
    add_count(app, column.number_option(), 0, column.number.most, std::string(column.number.help),
              [&words](std::uint64_t n) { words.number = n; })
        ->needs(flag);
  }
}

void add_names(CLI::App& app, OutputWords& w) {
  add_word(app, "--names", w.naming,
           {{"short", Naming::unitless}, {"ipfix", Naming::ipfix}, {"zeek", Naming::zeek}, {"ecs", Naming::ecs}},
           "names of columns in CSV, JSON and Parquet: without units (short: start, end, duration), of IPFIX's "
           "Information Elements, of Zeek's conn.log, or of the Elastic Common Schema (docs/names.md); --columns takes "
           "them, too");
}

void add_columns_option(CLI::App& app, OutputWords& w) {
  add_text(
      app, "--columns",
      "columns to add at the end: " + named_columns() +
          " (the first packet's number in the trace; SYN to SYN+ACK, of biflows); Parquet has all but community_id "
          "anyway. A list with any other column, or with = before it, chooses: files have these columns alone, in "
          "this order (their names: show --help)",
      [&w](const std::string& names) { w.columns = names; })
      ->type_name("A,B,...");
}

void refuse_columns(const OutputOptions& o, bool biflow, bool numbered) {
  for (const ColumnOption& column : column_options()) {
    const bool is_wanted =
        std::ranges::find(o.extra_columns, column.column, &ExtraColumn::name) != o.extra_columns.end();
    if (!is_wanted) continue;
    const std::string name = "--columns " + std::string(column.column);
    if (column.of_numbered() && !numbered) {
      throw Error(name + ": a live capture is no trace whose packets are numbered", ExitStatus::usage);
    }
    if (column.of_biflows() && !biflow) throw Error(name + " goes with --biflow", ExitStatus::usage);
  }
}

void refuse_choice(const OutputOptions& o, RecordLayout layout) {
  if (o.choice.is_of_all()) return;
  const auto resolve = [&layout](const OutputOptions& one) {
    layout.extra = one.extra_columns;
    make_chosen_format(one, one.anonymize ? AnonymizedWriter::layout(layout) : layout);
  };
  if (!o.file.empty()) resolve(o);
  std::ranges::for_each(o.also, resolve);
}

}  // namespace warpmeter::inline app
