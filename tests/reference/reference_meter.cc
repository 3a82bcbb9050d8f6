// reference_meter [options] FILE...: the oracle as a program, to be compared with the real one by hand or by a script.
// Exit status: 0 all read, 1 not readable, 2 usage, 3 damaged (what was read is printed).
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include "arguments.h"
#include "reference.h"

namespace {

reference::Method method_of(const std::string& name) {
  if (name == "exact") return reference::Method::exact;
  if (name == "five-tuple") return reference::Method::five_tuple;
  reference::usage_error("unknown method " + name);
}

// --NAME-port LIST replaces, +LIST adds.
bool take_ports(const std::string& name, reference::Arguments& arguments, reference::TunnelPorts& ports) {
  if (!name.starts_with("--") || !name.ends_with("-port")) return false;
  const auto found = ports.find(name.substr(2, name.size() - 7));
  if (found == ports.end()) return false;
  std::string text = arguments.next();
  if (text.starts_with("+")) text.erase(0, 1);
  else found->second.clear();
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');)
    found->second.push_back(static_cast<uint16_t>(std::stoul(word)));
  return true;
}

struct Command {
  reference::Options options;
  std::vector<std::string> files;
};

Command parse(reference::Arguments arguments) {
  Command command;
  reference::Options& options = command.options;
  while (!arguments.done()) {
    const std::string name = arguments.next();
    if (name == "--idle-timeout") options.idle_timeout = arguments.next_nanoseconds();
    else if (name == "--active-timeout") options.active_timeout = arguments.next_nanoseconds();
    else if (name == "--duplicate-window") options.duplicate_window = int64_t(arguments.next_number());
    else if (name == "--duplicate-gap") options.duplicate_gap = arguments.next_nanoseconds();
    else if (name == "--duplicate-gap-anonymous") options.duplicate_gap_anonymous = arguments.next_nanoseconds();
    else if (name == "--method") options.method = method_of(arguments.next());
    else if (name == "--block") options.block = int64_t(arguments.next_number());
    else if (name == "--retransmission-gap") options.retransmission_gap = arguments.next_nanoseconds();
    else if (name == "--columns") options.first_packet = arguments.next() == "first_packet";
    else if (name == "--aggregate") options.aggregate = true;
    else if (name == "--key-vlan") options.key_vlan = true;
    else if (name == "--sample-flows") options.sample_one_in = std::stoull(arguments.next().substr(2));  // 1/N
    else if (name == "--decapsulate") options.decapsulate = true;
    else if (take_ports(name, arguments, options.ports)) continue;
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
    const reference::Extraction result = reference::extract(captures, command.options);
    std::fwrite(result.csv.data(), 1, result.csv.size(), stdout);
    for (const auto& damage : result.damage)
      std::fprintf(stderr, "damaged at byte %zu: %s\n", damage.offset, damage.reason.c_str());
    return result.damage.empty() ? 0 : 3;
  } catch (const reference::NotACapture& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
