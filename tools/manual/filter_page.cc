#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "analysis/query/comparison.h"
#include "analysis/query/field.h"
#include "analysis/query/filter.h"
#include "analysis/query/literal.h"
#include "app/cli/option_text.h"
#include "manual/option_sections.h"
#include "manual/pages.h"

namespace warpmeter {
namespace {

// What values look like, with all columns that have such, and the operators that these take.
void add_types(Roff& roff) {
  constexpr std::string_view kNoValue = "?";  // of any type, so that the answer is what one looks like
  roff.heading("Columns and their values");
  for (const FieldType type :
       {FieldType::address, FieldType::port, FieldType::protocol, FieldType::number, FieldType::bytes, FieldType::time,
        FieldType::span, FieldType::share, FieldType::flags, FieldType::end_reason, FieldType::texts}) {
    std::vector<std::string> names;
    for (const std::string& name : field_names()) {
      if (Field::of(name)->type() == type) names.push_back(name);
    }
    Wanted any(type, Operator::equal);
    const std::string_view form = any.add_value(kNoValue);
    roff.entry(
        roff_styled(form.empty() ? "a text such as http, any of the list with = and in, none of it with !=" : form),
        roff_bold(fmt::format("{}", fmt::join(names, ", "))) + roff_literal(" with ") +
            roff_bold(fmt::format("{}", fmt::join(operator_words(type), " "))));
  }
}

void add_words(Roff& roff) {
  roff.heading("Words");
  const auto entry = [&roff](const char* what, const std::vector<std::string_view>& words) {
    roff.entry(roff_italic(what), roff_literal(fmt::format("{}", fmt::join(words, ", "))));
  };
  entry("VERSION", ip_version_names());
  entry("PROTOCOL", protocol_names());
  entry("end_reason", end_reason_names());
  const std::string flags = flag_letters(0xff);
  roff.entry(roff_italic("FLAGS"), roff_literal("letters of " + flags + ", in any order"));
}

const CLI::App& show_command(const CLI::App& app) { return *app.get_subcommand("show"); }

void add_filter_examples(Roff& roff, const CLI::App& show) {
  roff.heading("Examples");
  for (const Example& example : examples_of(show)) {
    if (example.command.find(" -f ") != std::string::npos || example.command.find("--having") != std::string::npos) {
      roff.example(example.command);
    }
  }
}

}  // namespace

std::string filter_page(const CLI::App& app, const ManualSources& sources) {
  Roff roff = begin_page(sources, "warpmeter-filter", 7, "filters of Flow Records");
  roff.heading("Synopsis");
  roff.paragraph(roff_bold("warpmeter show -f") + " " + roff_italic("EXPR") + " " + roff_italic("FILE") + "...");
  roff.paragraph(roff_bold("warpmeter show --sum") + " " + roff_italic("KEY") + " " + roff_bold("--having") + " " +
                 roff_italic("EXPR") + " " + roff_italic("FILE") + "...");
  roff.heading("Description");
  add_help_text(roff, kFilterHelp);
  add_types(roff);
  add_words(roff);
  roff.heading("Grammar");
  roff.example(kFilterGrammar);
  roff.heading("Filters of sums");
  add_help_text(roff, kSumsHelp);
  add_units(roff, show_command(app));
  add_filter_examples(roff, show_command(app));
  add_see_also(roff, names_of_commands(app), "warpmeter-filter");
  return roff.text();
}

}  // namespace warpmeter
