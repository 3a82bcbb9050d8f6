// How --help looks: options in groups, text wrapped to the terminal, and the units that the options use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// For `app` and the commands that are added to it after this. Options get into a group by
// option_defaults()->group("Output") of their command before they are added.
void format_help(CLI::App& app);

// Columns for text: $COLUMNS, else those of the terminal that standard output or standard error is, else 80.
std::size_t help_width();

// Paragraphs are filled. Of lines that begin with spaces, one that has a gap of two, a word and what it means, is
// wrapped behind the gap; one without a gap, such as a command, stays as it is.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace warpmeter::inline app
