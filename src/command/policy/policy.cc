#include "command/policy/policy.h"

#include "base/files/output_file.h"
#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "packet/file/capture_reader.h"
#include "policy/memory/policy_memory.h"

namespace warpmeter::inline command {
namespace {

PolicyMemory loaded(const std::string& file) {
  try {
    return PolicyMemory::load_file(file);
  } catch (const PolicyError& error) {
    throw Error(file + ": " + error.what(), ExitStatus::usage);
  }
}

// May be meant so.
void warn_of_what_is_idle(const PolicyMemory& memory, const std::string& file) {
  for (const std::string& remark : memory.remarks()) warn(file + ": " + remark);
  if (memory.groups().empty()) warn(file + ": no group: no packet gets a label");
  for (const GroupId id : memory.unreachable()) warn(file + ": group " + named_group(memory, id) + " is never reached");
}

}  // namespace

ExitStatus check_policy(const PolicyOptions& options) {
  const PolicyMemory memory = loaded(options.file);
  put(options.file + ": " + policy_headline(memory) + "\n");
  warn_of_what_is_idle(memory, options.file);
  return ExitStatus::ok;
}

ExitStatus explain_policy(const PolicyOptions& options) {
  const PolicyMemory memory = loaded(options.file);
  if (!options.svg.empty()) {
    FilesInUse({options.file}, packets_in).claim(options.svg);
    OutputFile drawing(options.svg);
    drawing.write(policy_graph(memory));
    drawing.commit();
  }
  put(explained_policy(memory));
  warn_of_what_is_idle(memory, options.file);
  return ExitStatus::ok;
}

}  // namespace warpmeter::inline command
