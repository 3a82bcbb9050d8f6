#include "cli/output_format.h"

#include <unistd.h>

#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::pair<const char*, Format> kFormats[] = {{"csv", Format::csv},
                                                       {"json", Format::json},
                                                       {"table", Format::table},
                                                       {"ipfix", Format::ipfix},
                                                       {"parquet", Format::parquet}};

}  // namespace

Format output_format(const std::string& word, const std::string& output) {
  for (const auto& [name, format] : kFormats) {
    if (word == name) return format;
  }
  if (output.empty()) return isatty(STDOUT_FILENO) ? Format::table : Format::csv;
  for (const auto& [name, format] : kFormats) {
    if (format != Format::table && output.ends_with(std::string(".") + name)) return format;
  }
  if (output == "-" || output.starts_with("/dev/")) return Format::csv;
  throw Error("-o " + output + ": which format? Names end in .csv, .json, .ipfix or .parquet, or say --format",
              ExitStatus::usage);
}

}  // namespace warpmeter
