#include "policy/fields/clear_text.h"

#include <algorithm>
#include <string_view>

namespace warpmeter::inline policy {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeaderEnd = "\r\n\r\n";
constexpr std::string_view kWhiteSpace = " \t\n\r\v\f";

constexpr std::size_t kQuestion = 12;        // where it begins, behind the header of the message
constexpr std::size_t kShortestQuery = 17;   // bytes: the header, and the question of the root
constexpr std::size_t kLongestLabel = 63;    // of a DNS name; larger numbers are something else
constexpr std::size_t kLongestBanner = 255;  // bytes, its end counted

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) + 1 - first);
}

bool is_host(std::string_view name) {
  constexpr std::string_view kHost = "host";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::ranges::equal(name, kHost, {}, lower);
}

// Takes the first line off `lines`, with its end; without an end it is all of them.
std::string_view take_line(std::string_view& lines) {
  const std::string_view line = lines.substr(0, lines.find(kLineEnd));
  lines.remove_prefix(std::min(lines.size(), line.size() + kLineEnd.size()));
  return line;
}

}  // namespace

std::string http_host(Bytes head) {
  const std::string_view text = text_of(head);
  std::size_t end = text.find(kHeaderEnd);
  if (end == std::string_view::npos) end = text.rfind(kLineEnd);  // the last line may not be whole
  if (end == std::string_view::npos) return {};
  std::string_view lines = text.substr(0, end);
  take_line(lines);  // the request
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && is_host(trimmed(line.substr(0, colon)))) {
      return std::string(trimmed(line.substr(colon + 1)));
    }
  }
  return {};
}

std::string dns_name(Bytes head) {
  if (head.size() < kShortestQuery || (head[4] == 0 && head[5] == 0)) return {};
  std::string name;
  for (std::size_t at = kQuestion; at < head.size(); at += 1 + head[at]) {
    const std::size_t length = head[at];
    if (length == 0) return name;
    if (length > kLongestLabel || length >= head.size() - at) return {};
    if (at > kQuestion) name += '.';
    name += text_of(head.subspan(at + 1, length));
  }
  return {};
}

std::string ssh_banner(Bytes head) {
  std::string_view lines = text_of(head);
  while (!lines.starts_with("SSH-")) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) return {};
    lines.remove_prefix(end + 1);
  }
  const std::size_t end = lines.find('\n');
  if (end >= kLongestBanner) return {};  // or there is none yet
  return std::string(lines.substr(0, end > 0 && lines[end - 1] == '\r' ? end - 1 : end));
}

}  // namespace warpmeter::inline policy
