// reference_reassemble [options] FILE...: the oracle of streams as a program, to be compared with the real one by hand.
// Exit status: 0 all read, 1 not readable, 2 usage, 3 damaged (what was read is printed).
#include <cstdio>
#include <fstream>
#include <iterator>

#include "arguments.h"
#include "oracle_streams.h"

namespace {

reference::Overlap overlap_of(const std::string& name) {
  using enum reference::Overlap;
  if (name == "first") return first;
  if (name == "last") return last;
  if (name == "bsd") return bsd;
  if (name == "linux") return linux_;
  if (name == "windows") return windows;
  reference::usage_error("unknown policy " + name);
}

struct Command {
  reference::StreamOptions options;
  std::vector<std::string> files;
};

Command parse(reference::Arguments arguments) {
  Command command;
  reference::StreamOptions& options = command.options;
  while (!arguments.done()) {
    const std::string name = arguments.next();
    if (name == "--block-size") options.block_size = static_cast<int64_t>(arguments.next_number());
    else if (name == "--timeout") options.timeout = arguments.next_nanoseconds();
    else if (name == "--gap-packets") options.gap_packets = static_cast<int64_t>(arguments.next_number());
    else if (name == "--overlap") options.overlap = overlap_of(arguments.next());
    else if (name == "--decapsulate") options.decapsulate = true;
    else if (name.starts_with("--")) reference::usage_error("unknown option " + name);
    else command.files.push_back(name);
  }
  if (command.files.empty()) reference::usage_error("no input file");
  return command;
}

std::vector<uint8_t> load(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw reference::NotACapture("cannot be opened");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int count, char** values) {
  const Command command = parse(reference::Arguments(count, values));
  try {
    std::vector<std::vector<uint8_t>> captures;
    for (const auto& name : command.files) captures.push_back(load(name));
    std::vector<reference::Damage> damage;
    const std::string text = json(reference::reassemble(captures, command.options, &damage));
    std::fwrite(text.data(), 1, text.size(), stdout);
    for (const auto& d : damage) std::fprintf(stderr, "damaged at byte %zu: %s\n", d.offset, d.reason.c_str());
    return damage.empty() ? 0 : 3;
  } catch (const reference::NotACapture& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
