#include "cli/split_inputs.h"

#include <algorithm>
#include <filesystem>

namespace warpmeter {
namespace {

bool looks_like_file(const std::string& word) {
  if (word.find(' ') != std::string::npos) return false;
  // "net 10.0.0.0/8" is filter language, "folder/x" is not; no part of a filter has one of these endings.
  static const char* const kEndings[] = {".pcap", ".pcapng", ".cap", ".dmp", ".dump", ".gz", ".zst", ".lz4", ".erf"};
  if (std::any_of(std::begin(kEndings), std::end(kEndings), [&](const char* e) { return word.ends_with(e); })) {
    return true;
  }
  return word.starts_with("/") || word.starts_with("./") || word.starts_with("../");
}

bool is_input(const std::string& word) {
  std::error_code error;
  return word == "-" || std::filesystem::exists(word, error) || looks_like_file(word);
}

}  // namespace

InputsAndFilter split_inputs(const std::vector<std::string>& words) {
  InputsAndFilter split;
  std::size_t i = 0;
  // The first word is an input in any case: there is no filter without one.
  for (; i < words.size() && (i == 0 || is_input(words[i])); ++i) split.inputs.push_back(words[i]);
  for (; i < words.size(); ++i) (split.filter += split.filter.empty() ? "" : " ") += words[i];
  return split;
}

}  // namespace warpmeter
