// What users write: a filter of Flow Records, or of sums with their keys; a size, a number, a time, GPUs, sort keys.
#include <algorithm>
#include <string>
#include <vector>

#include "analysis/query/filter.h"
#include "analysis/query/sort_order.h"
#include "app/cli/parse_values.h"
#include "fuzz/must.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {
namespace {

template <class Parse>
void attempt(Parse&& parse) {
  try {
    parse();
  } catch (const Error& error) {
    must(error.status() == ExitStatus::usage && *error.what() != 0);
  }
}

Biflow biflow() {
  Biflow flow;
  flow.forward.key.version = 4;
  flow.forward.key.protocol = kProtocolTcp;
  flow.reverse = flow.forward;
  flow.has_reverse = true;
  return flow;
}

// "KEYS HAVING"
void sums_of(const std::string& text, const Biflow& flow) {
  const std::size_t blank = std::min(text.find(' '), text.size());
  const std::vector<SumKey> keys = parse_sum_keys(text.substr(0, blank));
  const SumFilter having(text.substr(blank), keys);
  Sums sums(keys, keys.front().name(), kSortOption, having.columns());
  sums.add(flow);
  for (const SumRow* row : sums.sorted(0)) having.matches(*row);
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  static const Biflow flow = fuzz::biflow();
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  switch (data[0] % 8) {
    case 0: fuzz::attempt([&] { fuzz::must(parse_size("--x", text) <= 4'000'000'000'000'000'000); }); break;
    case 1: fuzz::attempt([&] { fuzz::must(parse_count("--x", text) <= 4'000'000'000'000'000'000); }); break;
    case 2: fuzz::attempt([&] { fuzz::must(parse_time("--x", text) >= 0); }); break;
    case 3: fuzz::attempt([&] { parse_gpus(text); }); break;
    case 4: fuzz::attempt([&] { SortOrder(text).key(flow); }); break;
    case 6: fuzz::attempt([&] { fuzz::sums_of(text, flow); }); break;
    case 5: fuzz::attempt([&] { Filter(text, "filter", OtherNames::doubt).matches(flow); }); break;
    default: fuzz::attempt([&] { Filter(text).matches(flow); }); break;
  }
  return 0;
}
