#include "app/cli/parse_values.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/words/amount.h"
#include "base/words/printable.h"
#include "core/flow_sample.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

// A time is added to times since 1970, which must not overflow.
constexpr std::int64_t kLargest = 4'000'000'000'000'000'000;

std::string shown(const std::string& text) { return text.empty() ? "''" : shortened(text); }

std::int64_t parse(const std::string& option, const std::string& text, AmountOf what, std::int64_t plain,
                   const char* form) {
  const Amount amount = read_amount(text, what, plain);
  const auto wrong = [&](const char* why) { return Error(option + " " + shown(text) + ": " + why, ExitStatus::usage); };
  if (amount.state == Amount::State::none) throw wrong(form);
  if (amount.state == Amount::State::good && amount.value < 0) throw wrong("less than 0");
  if (amount.state == Amount::State::too_large && text.starts_with('-')) throw wrong("less than 0");
  if (amount.state == Amount::State::too_large || amount.value > kLargest) throw wrong("too large");
  return amount.value;
}

[[noreturn]] void throw_no_column(bool per) {
  throw Error(per ? "--top N per: per which key of --sum? Such as --sum time/10m,src_addr --top 3 per time/10m"
                  : "--top N by: by which column? Such as --top 10 by bytes",
              ExitStatus::usage);
}

}  // namespace

std::uint64_t parse_size(const std::string& option, const std::string& text) {
  return static_cast<std::uint64_t>(
      parse(option, text, AmountOf::bytes, 1, "not a size: bytes, or a number with K, M, G or T, such as 64M"));
}

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  return static_cast<std::uint64_t>(
      parse(option, text, AmountOf::count, 1, "not a whole number: perhaps with K, M or G, such as 500K"));
}

std::int64_t parse_time(const std::string& option, const std::string& text) {
  return parse(option, text, AmountOf::time, 1'000'000'000,
               "not a time: seconds, or a number with ns, us, ms, s, m, h or d, such as 1.5s");
}

std::uint32_t parse_sample(const std::string& option, const std::string& text) {
  constexpr std::string_view kOneIn = "1/";
  std::uint32_t one_in = 0;
  const char* const last = text.data() + text.size();
  const char* const first = text.starts_with(kOneIn) ? text.data() + kOneIn.size() : last;
  const auto [end, failed] = std::from_chars(first, last, one_in);
  if (failed != std::errc() || end != last || one_in < 1 || one_in > kRarestSample) {
    throw Error(
        fmt::format("{} {}: one flow of so many, 1/1 to 1/{}, such as 1/64", option, shown(text), kRarestSample),
        ExitStatus::usage);
  }
  return one_in;
}

std::optional<std::uint32_t> parse_changing_sample(const std::string& option, const std::string& text) {
  constexpr std::string_view kAuto = "auto";
  constexpr std::uint32_t kUsualRarest = 1024;
  if (!text.starts_with(kAuto)) return std::nullopt;
  if (text == kAuto) return kUsualRarest;
  const std::string limit = text.substr(kAuto.size());
  const std::uint32_t rarest = parse_sample(option, limit.starts_with(':') ? limit.substr(1) : text);
  if (rarest < 2) throw Error(option + " " + text + ": that would be all flows always", ExitStatus::usage);
  return rarest;
}

std::vector<int> parse_gpus(const std::string& text) {
  std::vector<int> gpus;
  if (text == "all") return gpus;
  const Error wrong("--gpu " + shown(text) + ": not the numbers of GPUs, such as 0, or 0,1, or all", ExitStatus::usage);
  const char *at = text.data(), *const last = text.data() + text.size();
  for (;; ++at) {
    int number = -1;
    const auto [end, failed] = std::from_chars(at, last, number);
    if (failed != std::errc() || number < 0 || std::find(gpus.begin(), gpus.end(), number) != gpus.end()) throw wrong;
    gpus.push_back(number);
    if (end == last) return gpus;
    if (*end != ',') throw wrong;
    at = end;
  }
}

std::uint64_t parse_count_within(const std::string& option, const std::string& text, std::uint64_t least,
                                 std::uint64_t most) {
  const std::uint64_t count = parse_count(option, text);
  if (count < least || count > most) {
    throw Error(option + " " + shown(text) + ": " + std::to_string(least) + " to " + std::to_string(most),
                ExitStatus::usage);
  }
  return count;
}

CLI::Option* add_count(CLI::App& command, const std::string& option, std::uint64_t least, std::uint64_t most,
                       const std::string& help, const std::function<void(std::uint64_t)>& set) {
  const auto take = [=](const std::string& text) { set(parse_count_within(option, text, least, most)); };
  return command.add_option_function<std::string>(option, take, help)->type_name("N");
}

CLI::Option* add_text(CLI::App& command, const std::string& option, const std::string& help,
                      const std::function<void(const std::string&)>& read) {
  const auto take = [=](const std::string& text) {
    if (text.empty()) throw Error(option + " '': there is no value", ExitStatus::usage);
    read(text);
  };
  return command.add_option_function<std::string>(option, take, help);
}

CLI::Option* add_amount(CLI::App& command, const std::string& option, AmountOf what, const std::string& help,
                        const std::function<void(std::uint64_t)>& set, const Bounds& bounds) {
  const auto read = [=](const std::string& text) {
    const std::uint64_t value = what == AmountOf::bytes   ? parse_size(option, text)
                                : what == AmountOf::count ? parse_count(option, text)
                                                          : static_cast<std::uint64_t>(parse_time(option, text));
    const bool good = (value >= bounds.least && value <= bounds.most) || (bounds.or_zero && value == 0);
    if (!good) {
      throw Error(option + (bounds.shows_value ? " " + shown(text) : "") + ": " + bounds.said, ExitStatus::usage);
    }
    set(value);
  };
  const char* const unit = what == AmountOf::bytes ? "SIZE" : what == AmountOf::count ? "N" : "TIME";
  return add_text(command, option, help, read)->type_name(unit);
}

CLI::Option* add_choice(CLI::App& command, const std::string& option, const std::vector<std::string>& words,
                        const std::string& help, const std::function<void(std::size_t)>& set) {
  const auto take = [words, set](const std::string& word) {
    set(static_cast<std::size_t>(std::ranges::find(words, word) - words.begin()));
  };
  return command.add_option_function<std::string>(option, take, help)->check(CLI::IsMember(words));
}

CLI::Option* add_threads(CLI::App& command, unsigned& threads) {
  constexpr unsigned kMost = 256;
  threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMost);
  return add_count(command, "--threads", 1, kMost, fmt::format("threads, at most {} (default: one a CPU core)", kMost),
                   [&threads](std::uint64_t n) { threads = static_cast<unsigned>(n); });
}

void refuse_folder(const std::string& option, const std::string& name) {
  std::error_code ignored;
  if (name == "-" || !std::filesystem::is_directory(name, ignored)) return;
  throw Error(option + " " + name + ": is a folder: name a file in it", ExitStatus::usage);
}

void add_messages(CLI::App& command, bool& quiet, std::string& stats_file) {
  command.option_defaults()->group("Messages");
  command.add_flag("-q,--quiet", quiet, "no progress and no summary");
  command.add_option("--stats", stats_file, "write the summary as JSON")
      ->type_name("FILE")
      ->each([](const std::string& name) { refuse_folder("--stats", name); });
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

Top take_top(const std::string& value, std::vector<std::string>& files) {
  Top top;
  if (value.empty()) return top;
  std::istringstream in(value);
  std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
  if (words.empty()) words.push_back(value);
  top.most = parse_count("--top", words.front());
  if (top.most == 0) throw Error("--top: at least 1", ExitStatus::usage);
  words.erase(words.begin());
  for (const auto& [word, to] : {std::pair("by", &top.column), std::pair("per", &top.per)}) {
    for (std::vector<std::string>* const from : {&words, &files}) {
      const auto at = std::find(from->begin(), from->end(), word);
      std::error_code ignored;
      if (at == from->end() || (from == &files && std::filesystem::exists(word, ignored))) continue;
      if (at + 1 == from->end()) throw_no_column(to == &top.per);
      *to = *(at + 1);
      from->erase(at, at + 2);
      break;
    }
  }
  if (!words.empty()) {
    throw Error("--top '" + shortened(value) + "': N, or 'N by COLUMN', of sums also 'N by COLUMN per KEY'",
                ExitStatus::usage);
  }
  return top;
}

}  // namespace warpmeter::inline app
