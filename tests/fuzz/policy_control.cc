// A request to change a policy that is in use. What is refused is told in one line and changes nothing; what is taken
// changes it once, and leaves a policy whose groups are in order, and that is compiled.
#include <string>

#include "fuzz/must.h"
#include "policy/control/policy_control.h"
#include "policy/patterns/pattern_set.h"

namespace warpmeter::fuzz {
namespace {

// The answer, or "" if it was refused.
std::string applied(std::string_view request, RunningPolicy& running) {
  std::string why;
  try {
    return apply_request(request, running);
  } catch (const PolicyError& error) {
    why = error.what();
  } catch (const PatternError& error) {
    why = error.what();
  }
  must(is_one_line(why));
  return "";
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  static const PolicyMemory first = PolicyMemory::load(
      "[init]\ndefault = 'a'\n[[group]]\nid = 1\nname = 'a'\nmatch = 2\nrule = [{ field = { host = 'http.host' } }]\n"
      "[[group]]\nid = 2\nrule = [{ payload = 'x' }]\n");
  RunningPolicy running(first, true);
  const auto before = running.current();
  const std::string done = fuzz::applied({reinterpret_cast<const char*>(data), size}, running);
  if (done.empty()) {
    fuzz::must(running.current() == before && running.generation() == 0);
    return 0;
  }
  fuzz::must(fuzz::is_one_line(done) && running.generation() == 1);
  const PolicyMemory& memory = running.current()->memory();
  fuzz::must(memory.order().size() == memory.groups().size() && memory.longest_path() <= memory.max_rounds());
  if (done == "replaced") return 0;
  const bool of_init = memory.init().size() == first.init().size() + 1;
  fuzz::must(of_init ? memory.groups() == first.groups() : memory.init() == first.init());
  fuzz::must(memory.groups().size() <= first.groups().size() + 1);
  return 0;
}
