#include "simulator/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>

namespace cuda_machine {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("CUDA_MACHINE: " + what); }

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse("no number: " + std::string(text));
  return value;
}

template <class T>
T one_of(std::string_view text, const std::map<std::string_view, T>& words) {
  const auto found = words.find(text);
  if (found == words.end()) refuse("no such word: " + std::string(text));
  return found->second;
}

using Setter = std::function<void(Settings&, std::string_view)>;

template <class T>
Setter number_of(T Settings::*member, std::uint64_t unit = 1) {
  return [=](Settings& s, std::string_view text) { s.*member = static_cast<T>(number(text) * unit); };
}
Setter text_of(std::string Settings::*member) {
  return [=](Settings& s, std::string_view text) { s.*member = text; };
}

const std::map<std::string_view, Setter>& setters() {
  static const std::map<std::string_view, Setter> table = {
      {"schedule",
       [](Settings& s, std::string_view text) {
         s.schedule = one_of<Schedule>(text, {{"converged", Schedule::converged},
                                              {"random", Schedule::random},
                                              {"up", Schedule::lane_up},
                                              {"down", Schedule::lane_down}});
       }},
      {"order",
       [](Settings& s, std::string_view text) {
         s.order = one_of<WorkOrder>(
             text, {{"late", WorkOrder::late}, {"now", WorkOrder::now}, {"random", WorkOrder::random}});
       }},
      {"seed", number_of(&Settings::seed)},
      {"stall", number_of(&Settings::stall_percent)},
      {"races",
       [](Settings& s, std::string_view text) {
         s.check_races = one_of<Races>(text, {{"none", Races::none}, {"ours", Races::ours}, {"all", Races::all}});
       }},
      {"unwritten", number_of(&Settings::check_unwritten)},
      {"resident", number_of(&Settings::resident_blocks)},
      {"limit", number_of(&Settings::instruction_limit)},
      {"gpus", number_of(&Settings::gpus)},
      {"multiprocessors", number_of(&Settings::multiprocessors)},
      {"architecture", number_of(&Settings::architecture)},
      {"memory", number_of(&Settings::memory, 1 << 20)},
      {"fail", text_of(&Settings::fail)},
      {"report", text_of(&Settings::report_file)},
      {"coverage", text_of(&Settings::coverage_folder)},
      {"counts", text_of(&Settings::counts_folder)},
      {"log", text_of(&Settings::log_folder)},
      {"l1", number_of(&Settings::l1_bytes, 1 << 10)},
      {"l2", number_of(&Settings::l2_bytes, 1 << 20)},
  };
  return table;
}

void set(Settings& settings, std::string_view item) {
  const std::size_t equals = item.find('=');
  const auto setter = setters().find(item.substr(0, equals));
  if (equals == std::string_view::npos || setter == setters().end()) refuse("no such setting: " + std::string(item));
  setter->second(settings, item.substr(equals + 1));
}

Settings settings_of(std::string_view list) {
  Settings settings;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    set(settings, list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  if (settings.resident_blocks == 0 || settings.multiprocessors == 0)
    refuse("resident and multiprocessors: at least 1");
  return settings;
}

Settings settings_of_environment() {
  const char* const list = std::getenv("CUDA_MACHINE");
  try {
    return settings_of(list ? list : "");
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(2);
  }
}

}  // namespace

Settings& settings() {
  static Settings now = settings_of_environment();
  return now;
}

}  // namespace cuda_machine
