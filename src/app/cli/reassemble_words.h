// The options of `warpmeter reassemble` as the user wrote them, and what they mean.
#pragma once

#include <string>
#include <vector>

#include "app/cli/stream_words.h"
#include "command/reassemble/reassemble_options.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

struct ReassembleWords {
  std::vector<std::string> inputs_and_filter, outputs;
  std::string format, payload, files, names;  // empty: not given
  StreamWords streams;
  std::string tmpdir;
  ReassembleCommandOptions options;  // what needs no thought
};

// Options of `reassemble` for who takes the streams in this process: all but those of outputs.
void add_stream_reader_options(CLI::App& command, ReassembleWords& words);

// An output is what its name says: JSON, records, or a folder. Throws Error (usage); also where a name ends like that
// of another file.
ReassembleCommandOptions reassemble_options_of(const ReassembleWords& words);

}  // namespace warpmeter::inline app
