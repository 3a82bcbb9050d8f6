#include "analysis/page/page_frame.h"

#include <fmt/format.h>

#include "analysis/page/html.h"
#include "analysis/page/words.h"
#include "base/words/printable.h"

namespace warpmeter::inline analysis {
namespace {

constexpr std::size_t kInputsByName = 4;
constexpr std::size_t kUnreadableByName = 10;

std::string damage(const PageOptions& options) {
  if (options.damage.empty()) return {};
  std::string list;
  for (const auto& [name, damage] : options.damage) {
    list += fmt::format("<li><code>{}</code>, from byte {} on: {}</li>\n", html::escaped(printable(name)),
                        words::exact(damage.offset), html::escaped(printable(damage.reason)));
  }
  return "<aside class=\"damage\"><p><b>The input was damaged.</b> This page tells what could be read "
         "before:</p>\n<ul>" +
         list + "</ul></aside>\n";
}

std::string unreadable(const PageOptions& options) {
  if (options.unreadable.empty()) return {};
  std::string list;
  for (std::size_t i = 0; i < options.unreadable.size() && i < kUnreadableByName; ++i) {
    list += fmt::format("<li>{}</li>\n", html::escaped(printable(options.unreadable[i])));
  }
  if (options.unreadable.size() > kUnreadableByName) {
    list += fmt::format("<li>and {} more</li>\n", options.unreadable.size() - kUnreadableByName);
  }
  return "<aside class=\"damage\"><p><b>Not all of the input could be read.</b> This page lacks:</p>\n<ul>" + list +
         "</ul></aside>\n";
}

std::string metering(const PageOptions& options) {
  if (options.metering.empty()) return {};
  std::string list;
  for (const std::string& remark : options.metering) {
    list += fmt::format("<li>{}</li>\n", html::escaped(printable(remark)));
  }
  return "<aside class=\"damage\"><p><b>Metering had its troubles.</b> What this page tells may be wrong because "
         "of:</p>\n<ul>" +
         list + "</ul></aside>\n";
}

std::string interruption(const PageOptions& options) {
  if (!options.interrupted) return {};
  return "<aside class=\"damage\"><p><b>Reading was interrupted.</b> This page tells what was read until "
         "then.</p></aside>\n";
}

std::string fill(std::string_view name, const PageParts& parts) {
  if (name == "title") return html::escaped(parts.title);
  if (name == "style") return std::string(kPageCss);
  if (name == "script") return std::string(parts.charts).append(kPageJs);
  if (name == "data") return parts.data;
  if (name == "content") return parts.content;
  if (name == "source") return html::escaped(parts.source);
  return parts.about;  // "about"
}

}  // namespace

std::string inputs_of_page(const PageOptions& options) {
  const std::vector<std::string>& names = options.inputs;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kInputsByName; ++i) {
    text += fmt::format("{}<code>{}</code>", i ? ", " : "",
                        html::escaped(names[i] == "-" ? "standard input" : printable(names[i])));
  }
  if (names.size() > kInputsByName) text += fmt::format(" and {} more", names.size() - kInputsByName);
  return text + (options.files.empty() ? "" : " (" + html::escaped(options.files) + ")");
}

std::string troubles_of_page(const PageOptions& options) {
  return damage(options) + unreadable(options) + metering(options) + interruption(options);
}

// Every @name@ is filled in one pass, so that what is filled in cannot name another.
std::string framed_page(const PageParts& parts) {
  std::string text;
  std::string_view rest = kPageHtml;
  for (std::size_t at; (at = rest.find('@')) != std::string_view::npos;) {
    const std::size_t end = rest.find('@', at + 1);
    text += rest.substr(0, at);
    text += fill(rest.substr(at + 1, end - at - 1), parts);
    rest.remove_prefix(end + 1);
  }
  return text.append(rest);
}

}  // namespace warpmeter::inline analysis
