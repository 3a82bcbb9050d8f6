#include "base/files/file_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <regex>
#include <string_view>
#include <system_error>

#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits that `text` has from `at` on, which moves behind them, without zeros before them.
std::string_view number_at(std::string_view text, std::size_t& at) {
  std::size_t from = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  while (from < at && text[from] == '0') ++from;
  return text.substr(from, at - from);
}

// Where characters differ. Slashes first; behind a time a Z goes before the point of a fraction, which is later.
int weight(char c, bool behind_digit) {
  if (c == '/') return 0;
  if (c == 'Z' && behind_digit) return 2 * '.' - 1;
  return 2 * static_cast<unsigned char>(c);
}

}  // namespace

std::strong_ordering name_order(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  bool behind_digit = false;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view m = number_at(a, i), n = number_at(b, j);
      if (const auto order = m.size() <=> n.size(); order != 0) return order;
      if (const auto order = m <=> n; order != 0) return order;
      behind_digit = true;
      continue;
    }
    if (const auto order = weight(a[i], behind_digit) <=> weight(b[j], behind_digit); order != 0) return order;
    behind_digit = false;
    ++i;
    ++j;
  }
  if (const auto order = a.size() - i <=> b.size() - j; order != 0) return order;
  return a <=> b;  // 7 and 007
}

namespace fs = std::filesystem;
namespace {

// Of a file's name, what is before and behind that which --rotate puts in: as RotatingWriter says.
struct Around {
  std::string_view before, behind;
};

Around around(std::string_view name) {
  std::string_view unpacked = name;
  for (const std::string_view packing : {".gz", ".zst", ".lz4"}) {
    if (name.ends_with(packing)) unpacked.remove_suffix(packing.size());
  }
  const std::size_t dot = unpacked.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {name, {}};
  return {name.substr(0, dot), name.substr(dot)};
}

struct Rotated {
  std::vector<std::string> by_number, by_time;  // in no order
};

Rotated rotated_files(const std::string& output) {
  static const std::regex kNumber("[0-9]{6,}"), kTime("[0-9]{8}T[0-9]{6}(\\.[0-9]{9})?Z(-[0-9]+)?|empty");
  const std::size_t base = output.rfind('/') + 1;  // 0 if there is none
  const std::string folder = output.substr(0, base);
  const auto [before, behind] = around(std::string_view(output).substr(base));
  const std::string beginning = std::string(before) + '.';
  Rotated found;
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= beginning.size() + behind.size() || !name.starts_with(beginning) || !name.ends_with(behind)) {
      continue;
    }
    const std::string middle = name.substr(beginning.size(), name.size() - beginning.size() - behind.size());
    if (std::regex_match(middle, kNumber)) found.by_number.push_back(folder + name);
    else if (std::regex_match(middle, kTime)) found.by_time.push_back(folder + name);
  }
  return found;
}

// Of one that has a number; as large as can be if it is larger.
std::uint64_t number_of(const std::string& file, const std::string& output) {
  const std::size_t base = output.rfind('/') + 1;
  const char* from = file.data() + base + around(std::string_view(output).substr(base)).before.size() + 1;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(from, file.data() + file.size(), number);
  return error == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::vector<std::string> rotated_set(const std::string& output) {
  auto [by_number, by_time] = rotated_files(output);
  if (!by_number.empty() && !by_time.empty()) {
    throw Error(output + ": there are rotated files by size (" + by_number.front() + ") and by time (" +
                by_time.front() + "): name those that are meant");
  }
  std::vector<std::string>& set = by_number.empty() ? by_time : by_number;
  std::sort(set.begin(), set.end(), [](const std::string& a, const std::string& b) { return name_order(a, b) < 0; });
  return set;
}

// Names with a number that no run reaches are in nobody's way.
std::uint64_t last_rotated(const std::string& output) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 2;
  std::uint64_t last = 0;
  for (const std::string& file : rotated_files(output).by_number) {
    if (const std::uint64_t number = number_of(file, output); number < kMost) last = std::max(last, number);
  }
  return last;
}

std::string rotated_beyond(const std::string& output, std::uint64_t last) {
  auto [files, by_time] = rotated_files(output);
  std::erase_if(files, [&](const std::string& file) { return number_of(file, output) <= last; });
  if (files.empty()) return "";
  const auto first = std::min_element(files.begin(), files.end(),
                                      [](const std::string& a, const std::string& b) { return name_order(a, b) < 0; });
  std::error_code error;
  const bool read_as_set = by_time.empty() && !fs::exists(output, error);
  return fmt::format(
      "{}: {} of an earlier run {} still there, from {} on{}", output,
      files.size() == 1 ? "1 file" : fmt::format("{} files", files.size()), files.size() == 1 ? "is" : "are", *first,
      read_as_set ? fmt::format("; warpmeter show {} reads {} too", output, files.size() == 1 ? "it" : "them") : "");
}

}  // namespace warpmeter::inline base
