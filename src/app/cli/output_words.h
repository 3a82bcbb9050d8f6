// The options that say where Flow Records go and in which form, for every command that writes some.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/columns/column_option.h"
#include "record/write/output_options.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// As the user wrote them. Where nothing stands, nothing was said.
struct OutputWords {
  std::vector<std::string> outputs;
  std::optional<Format> format;
  std::optional<TimeForm> times;
  bool wide = false;
  struct ExtraColumnWords {  // of a column that an option adds
    bool is_wanted = false;
    std::optional<std::uint64_t> number;
  };
  std::vector<ExtraColumnWords> extra_columns = std::vector<ExtraColumnWords>(column_options().size());
  std::optional<Naming> naming;
  bool has_log = false;  // an output is a log of Zeek, with its names: the outputs tell
  std::string columns;   // names of such columns, or of those that files are to have
  bool date_folders = false;
  std::string anonymize;  // the file of the key
  std::string rotate;     // which files it is for follows from the outputs
  std::optional<IpfixProfile> ipfix_profile;
  std::optional<std::uint32_t> observation_domain;
  std::string collector;     // its address, which depends on the protocol
  CollectorOptions sending;  // to it
};

// A file and its format.
void add_file_options(CLI::App& app, OutputWords& words);
// More columns, many files, collectors.
void add_export_options(CLI::App& app, OutputWords& words);

// `threads` compress; 0: one a CPU core. Throws Error (usage).
OutputOptions output_options_of(const OutputWords& words, unsigned threads = 0);

// Their columns: what --columns and the options of single columns say.
void add_column_flags(CLI::App& app, OutputWords& words);
void add_names(CLI::App& app, OutputWords& words);  // --names
void add_columns_option(CLI::App& app, OutputWords& words);
// Of column_options(), which are to be added.
std::vector<bool> wanted_columns(const OutputWords& words);
ExtraColumns extra_columns_of(const OutputWords& words);
// Which are chosen in place of all. Throws Error (usage).
ColumnChoice choice_of(const OutputWords& words);

// Also under two names; also of files that are not there yet.
bool same_file(const std::string& a, const std::string& b);

// Throws Error (usage) of columns that Flow Records of a command cannot have: of biflows without --biflow, numbers of
// packets where there is no trace.
void refuse_columns(const OutputOptions& options, bool biflow, bool numbered);

// Throws Error (usage) if columns are chosen that Flow Records of this layout cannot have, beside those that options
// add.
void refuse_choice(const OutputOptions& options, RecordLayout layout);

// Throws Error (usage) if Flow Records go to the file that `option` names as well.
void refuse_output(const OutputWords& words, const std::string& option, const std::string& file);

}  // namespace warpmeter::inline app
