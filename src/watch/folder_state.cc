#include "watch/folder_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/printable.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTitle = "warpmeter folder state 1 ";
constexpr std::string_view kAnyTitle = "warpmeter folder state ";

// FNV-1a: it is to find accidents.
std::string checksum_text(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", sum);
}

// Names of files may hold any bytes, JSON may not.
std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
  return text;
}

std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

Json json_of(const std::vector<LaterName>& files) {
  auto list = Json::array();
  for (const LaterName& file : files) list.push_back({hex(file.hidden), hex(file.before), hex(file.behind)});
  return list;
}

std::vector<LaterName> later_names_of(const Json& list) {
  std::vector<LaterName> files;
  for (const Json& file : list) files.push_back({bytes_of(file.at(0)), bytes_of(file.at(1)), bytes_of(file.at(2))});
  return files;
}

Json json_of(const SeenFile& file) {
  const Json first = file.first_ns ? Json(*file.first_ns) : Json();
  return {hex(file.name), file.number, file.size, file.changed_ns, first, static_cast<int>(file.fate)};
}

SeenFile seen_file_of(const Json& file) {
  SeenFile seen{.name = bytes_of(file.at(0)), .number = file.at(1), .size = file.at(2), .changed_ns = file.at(3)};
  // What leads out of the folder was not written by us, and must not be deleted.
  if (seen.name.find('/') != std::string::npos || seen.name == "..") throw Error("no name of a file in a folder");
  if (!file.at(4).is_null()) seen.first_ns = file.at(4).get<std::int64_t>();
  seen.fate = static_cast<Fate>(file.at(5).get<int>());
  return seen;
}

FolderState state_of(const Json& json) {
  FolderState state;
  state.id = json.at("id");
  state.folder = bytes_of(json.at("folder"));
  state.number = json.at("number");
  for (const Json& file : json.at("done")) state.done.add(seen_file_of(file));
  state.to_name = later_names_of(json.at("to name"));
  state.living = later_names_of(json.at("living"));
  return state;
}

}  // namespace

std::string text_of(const FolderState& state) {
  auto done = Json::array();
  for (const auto& [number, file] : state.done.by_number()) done.push_back(json_of(file));
  const Json json = {{"id", state.id}, {"folder", hex(state.folder)},       {"number", state.number},
                     {"done", done},   {"to name", json_of(state.to_name)}, {"living", json_of(state.living)}};
  const std::string body = json.dump() + "\n";
  return std::string(kTitle) + checksum_text(body) + "\n" + body;
}

FolderState folder_state_of(const std::string& text, const std::string& name) {
  const std::string where = printable(name) + ": ";
  if (!text.starts_with(kTitle)) {
    if (!text.starts_with(kAnyTitle)) throw Error(where + "is no state of warpmeter, so it is not written over");
    throw Error(where + "is the state of another version of warpmeter");
  }
  const std::size_t end = text.find('\n');
  const std::string damaged =
      where + "is damaged: how far an earlier run came is not known; without it all files of the folder are read anew";
  if (end == std::string::npos ||
      checksum_text(std::string_view(text).substr(end + 1)) != text.substr(kTitle.size(), end - kTitle.size())) {
    throw Error(damaged);
  }
  try {
    return state_of(Json::parse(text.substr(end + 1)));
  } catch (const std::exception&) {
    throw Error(damaged);
  }
}

}  // namespace warpmeter
