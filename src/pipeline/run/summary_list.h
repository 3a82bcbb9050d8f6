// The summary of a run as a list of facts, each with its key for programs, its label for people, and its value for
// both: the text on standard error and the JSON of --stats are made of the same list.
//
// Threads: one.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/words/printable.h"

namespace warpmeter::inline pipeline {

class SummaryList {
 public:
  using Json = nlohmann::ordered_json;

  // `text`: its value in words; empty: people are not told, as of what happens rarely and did not.
  void add(std::string_view key, std::string_view label, Json value, std::string_view text) {
    add_for_programs(key, std::move(value));
    if (!text.empty()) add_for_people(label, text);
  }
  void add_for_programs(std::string_view key, Json value) { json_[std::string(key)] = std::move(value); }
  // Of what programs find in a value that has a key of its own.
  void add_for_people(std::string_view label, std::string_view text) {
    text_ += fmt::format("  {:<19} {}\n", label, printable(text));
  }
  void add_lines(std::string_view lines) { text_ += lines; }  // as they are

  const std::string& text() const { return text_; }  // a line each
  const Json& json() const { return json_; }         // an object

 private:
  std::string text_;
  Json json_ = Json::object();
};

}  // namespace warpmeter::inline pipeline
