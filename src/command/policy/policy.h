// `warpmeter policy`: is a policy file good, and what does it do?
//
// Threads: one call at a time. Errors: Error; of a file that is no policy, with the status of wrong usage and one line
// that names group and rule.
#pragma once

#include <string>

#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct PolicyOptions {
  std::string file;
  std::string svg;  // where the graph is drawn; "": nowhere
};

ExitStatus check_policy(const PolicyOptions& options);
ExitStatus explain_policy(const PolicyOptions& options);

}  // namespace warpmeter::inline command
