// Default, short, zero and odd timeouts and windows, each with traffic of every kind.
#include "random_case.h"

#include <algorithm>

#include "link.h"
#include "reference_random.h"

namespace reference {
namespace {

constexpr int64_t second = 1'000'000'000, millisecond = 1'000'000;

Options random_options(Random& random) {
  Options options;
  switch (random.below(6)) {
    case 0: options.idle_timeout = 2 * second, options.active_timeout = 5 * second; break;
    case 1: options.idle_timeout = options.active_timeout = 0; break;
    case 2: options.idle_timeout = 1000, options.active_timeout = second / 2; break;
    case 3: options.idle_timeout = 0, options.active_timeout = millisecond; break;
    case 4: options.idle_timeout = second * 3 / 2, options.active_timeout = 0; break;
    default: break;
  }
  switch (random.below(6)) {
    case 0:
      options.duplicate_window = 8;
      options.duplicate_gap = second / 2;
      options.duplicate_gap_anonymous = 10 * millisecond;
      break;
    case 1: options.duplicate_window = 0; break;
    case 2: options.duplicate_window = 1, options.duplicate_gap = options.duplicate_gap_anonymous = 0; break;
    case 3: options.duplicate_window = 64, options.duplicate_gap = 20 * millisecond; break;
    default: break;
  }
  options.aggregate = random.percent(25);
  options.key_vlan = random.percent(25);
  return options;
}

TrafficShape random_shape(Random& random, const Options& options) {
  TrafficShape shape;
  shape.packets = random.percent(6) ? random.pick({0u, 1500u, 3000u}) : random.pick({1u, 20u, 100u, 200u, 400u});
  shape.keys = random.pick({1u, 1u, 2u, 3u, 6u, 20u});
  shape.link = random.pick({1u, 1u, 1u, 1u, 12u, 14u, 101u, 228u, 229u});
  shape.nanoseconds = !random.percent(20);
  shape.big_endian = random.percent(30);
  shape.cut_file = random.percent(5);
  shape.idle_timeout = options.idle_timeout;
  shape.active_timeout = options.active_timeout;
  shape.duplicate_window = static_cast<uint32_t>(options.duplicate_window);
  shape.duplicate_gap = options.duplicate_gap;
  shape.duplicate_gap_anonymous = options.duplicate_gap_anonymous;
  shape.tcp_percent = random.pick({100u, 85u, 85u, 30u});
  shape.copy_percent = random.pick({0u, 12u, 12u, 40u});
  shape.damage_percent = random.pick({0u, 6u, 25u});
  shape.gap_percent = random.pick({0u, 1u, 6u, 20u});
  shape.jump_percent = random.pick({0u, 0u, 2u, 10u});
  shape.restart_percent = random.pick({0u, 0u, 1u, 3u, 10u});
  shape.holes = random.pick({0u, 0u, 30u, 300u, 2000u});
  shape.time_runs_back = random.percent(35);
  shape.huge_lengths = random.percent(10);
  if (shape.holes >= 2000 && random.percent(40)) {  // room for thousands of holes in one flow
    shape.packets = 3500;
    shape.keys = random.pick({1u, 2u});
    shape.gap_percent = 0;
    shape.restart_percent = 0;
  }
  return shape;
}

// Packets of a memory block, mostly few; 0 for the whole trace.
int64_t random_block(Random& random, uint32_t packets) {
  const auto any = static_cast<int64_t>(1 + random.below(std::max(1u, packets)));
  return random.pick<int64_t>({0, 1, 2, 7, 7, 20, 20, 100, any, any});
}

// Of the size of the traffic clock's steps, of some of them together, and of the distances of copies in time, so that
// some segments come again soon enough and some too late.
int64_t random_retransmission_gap(Random& random, const Options& options) {
  const int64_t copy = random.pick({options.duplicate_gap, options.duplicate_gap_anonymous});
  const auto any = static_cast<int64_t>(1 + random.below(5 * millisecond));
  return random.pick<int64_t>({1, 1000, millisecond, any, any, 20 * millisecond, copy + 1, second});
}

// Some of the lists, with few ports, so that several tunnels get the same.
void choose_ports(TunnelPorts& ports, Random& random) {
  for (auto& [name, list] : ports) {
    if (!random.percent(40)) continue;
    if (random.percent(60)) list.clear();
    for (uint64_t more = random.below(3) + 1; more > 0; --more)
      list.push_back(random.pick<uint16_t>({1, 1701, 4789, 5000, 5000, 6081, 40000, 50000, 65535}));
  }
}

// The lists that are not the usual ones: added to these where they begin with them.
void add_ports(std::vector<std::string>& arguments, const TunnelPorts& ports) {
  for (const auto& [name, usual] : usual_ports()) {
    const std::vector<uint16_t>& list = ports.at(name);
    if (list == usual) continue;
    const bool adds = std::ranges::mismatch(usual, list).in1 == usual.end();
    std::string text;
    for (size_t i = adds ? usual.size() : 0; i < list.size(); ++i)
      text += (text.empty() ? "" : ",") + std::to_string(list[i]);
    arguments.insert(arguments.end(), {"--" + name + "-port", (adds ? "+" : "") + text});
  }
}

// Exact: nine decimals.
std::string seconds(int64_t nanoseconds) {
  const std::string fraction = std::to_string(second + nanoseconds % second);
  return std::to_string(nanoseconds / second) + '.' + fraction.substr(1);
}

}  // namespace

RandomCase random_case(uint64_t seed) {
  Random random(~seed);  // not the draws of the traffic itself
  RandomCase result;
  result.options = random_options(random);
  result.shape = random_shape(random, result.options);
  result.shape.seed = seed;
  result.options.first_packet = seed % 2;
  return result;
}

RandomCase sampled_case(uint64_t seed) {
  RandomCase result = wrapped_case(seed);
  Random random(seed ^ (1ull << 61));  // no other case's draws
  result.options.sample_one_in = random.pick<uint64_t>({2, 2, 2, 3, 3, 5, 64, 1 << 20});
  if (random.percent(50)) result.shape.link = 1;
  result.shape.keys = random.pick({2u, 6u, 20u, 60u});
  return result;
}

RandomCase five_tuple_case(uint64_t seed) {
  RandomCase result = random_case(seed);
  Random random(seed ^ (1ull << 63));  // neither the draws of random_case nor those of the traffic
  Options& options = result.options;
  options.method = Method::five_tuple;
  options.block = random_block(random, result.shape.packets);
  if (random.percent(50)) options.retransmission_gap = random_retransmission_gap(random, options);
  result.shape.block = static_cast<uint32_t>(options.block);
  result.shape.retransmission_gap = options.retransmission_gap;
  result.shape.resend_percent = random.pick({0u, 10u, 30u});
  return result;
}

RandomCase wrapped_case(uint64_t seed) {
  RandomCase result = random_case(seed);
  Random random(seed ^ (1ull << 62));  // no other case's draws
  result.options.decapsulate = random.percent(65);
  result.options.key_vlan = random.percent(50);
  if (result.options.decapsulate && random.percent(40)) choose_ports(result.options.ports, random);
  TrafficShape& shape = result.shape;
  shape.ports = result.options.ports;
  shape.packets = std::min(shape.packets, 400u);
  shape.link = known_links[seed % known_links.size()];
  shape.tunnel_percent = random.pick({0u, 40u, 90u});
  shape.flip_percent = random.pick({0u, 5u, 30u});
  return result;
}

std::vector<std::string> arguments_of(const Options& options) {
  const Options defaults;
  std::vector<std::string> result;
  const auto add_time = [&](const char* name, int64_t value, int64_t usual) {
    if (value != usual) result.insert(result.end(), {name, seconds(value)});
  };
  add_time("--idle-timeout", options.idle_timeout, defaults.idle_timeout);
  add_time("--active-timeout", options.active_timeout, defaults.active_timeout);
  add_time("--duplicate-gap", options.duplicate_gap, defaults.duplicate_gap);
  add_time("--duplicate-gap-anonymous", options.duplicate_gap_anonymous, defaults.duplicate_gap_anonymous);
  if (options.duplicate_window != defaults.duplicate_window)
    result.insert(result.end(), {"--duplicate-window", std::to_string(options.duplicate_window)});
  if (options.first_packet) result.insert(result.end(), {"--columns", "first_packet"});
  if (options.aggregate) result.push_back("--aggregate");
  if (options.key_vlan) result.push_back("--key-vlan");
  if (options.sample_one_in > 1)
    result.insert(result.end(), {"--sample-flows", "1/" + std::to_string(options.sample_one_in)});
  if (options.decapsulate) {
    result.push_back("--decapsulate");
    add_ports(result, options.ports);
  }
  if (options.method == Method::five_tuple) result.insert(result.end(), {"--method", "five-tuple"});
  if (options.block != defaults.block) result.insert(result.end(), {"--block", std::to_string(options.block)});
  add_time("--retransmission-gap", options.retransmission_gap, defaults.retransmission_gap);
  return result;
}

}  // namespace reference
