// FolderState as text, and back. state_file.cc is about the file that keeps a text, whatever it says: what may be wrong
// with either has nothing to do with the other.

#include "packet/folder/state_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/words/json_value_text.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTitle = "warpmeter folder state 2 ";
constexpr std::string_view kTitleBefore = "warpmeter folder state 1 ";  // without the time when a file was made

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

// The checksum finds accidents. What else might lead a run to rename or delete what is not its own is looked for here.
void demand(bool right) {
  if (!right) throw Error("not as it was written");
}

bool is_hex(std::string_view text) { return text.find_first_not_of("0123456789abcdef") == std::string_view::npos; }

// Of the name or path of a file.
std::string bytes_of(const Json& json) {
  const std::string text = json;
  demand(is_hex(text) && text.size() % 2 == 0);
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  demand(bytes.find('\0') == std::string::npos);
  return bytes;
}

std::uint64_t count_of(const Json& json) {
  demand(json.is_number_unsigned());
  return json;
}

std::int64_t time_of(const Json& json) {
  demand(json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= INT64_MAX));
  return json;
}

Json json_of(const std::vector<LaterName>& files) {
  auto list = Json::array();
  for (const LaterName& file : files) list.push_back({hex(file.hidden), hex(file.before), hex(file.behind)});
  return list;
}

// As NamedLater makes them: the file lies hidden beside its place, and belongs to this state.
LaterName later_name_of(const Json& json, const std::string& id) {
  LaterName file{bytes_of(json.at(0)), bytes_of(json.at(1)), bytes_of(json.at(2))};
  const std::string name = file.before + file.behind, start = name + '.' + id + '.';
  demand(json.size() == 3 && name.starts_with('/') && !name.ends_with('/') &&
         file.behind.find('/') == std::string::npos);
  demand(file.hidden.starts_with(start) && file.hidden.ends_with(".part") &&
         file.hidden.find('/', start.size()) == std::string::npos);
  return file;
}

std::vector<LaterName> later_names_of(const Json& list, const std::string& id) {
  demand(list.is_array());
  std::vector<LaterName> files;
  for (const Json& file : list) files.push_back(later_name_of(file, id));
  return files;
}

Json json_of(const SeenFile& file) {
  const Json first = file.first_ns ? Json(*file.first_ns) : Json();
  return {hex(file.name), file.number, file.size, file.changed_ns, first, static_cast<int>(file.fate), file.made_ns};
}

SeenFile seen_file_of(const Json& file, bool has_made) {
  SeenFile seen{.name = bytes_of(file.at(0)),
                .number = count_of(file.at(1)),
                .size = count_of(file.at(2)),
                .changed_ns = time_of(file.at(3))};
  const std::string& name = seen.name;
  demand(!name.empty() && name.find('/') == std::string::npos && name != "." && name != "..");  // of this folder
  if (!file.at(4).is_null()) seen.first_ns = time_of(file.at(4));
  const std::uint64_t fate = count_of(file.at(5));
  demand(fate <= static_cast<std::uint64_t>(Fate::alike));
  seen.fate = static_cast<Fate>(fate);
  if (has_made) seen.made_ns = time_of(file.at(6));
  demand(file.size() == (has_made ? 7 : 6));
  return seen;
}

FolderState state_of(const Json& json, bool has_made) {
  FolderState state;
  state.id = json.at("id");
  demand(!state.id.empty() && is_hex(state.id));
  state.folder = bytes_of(json.at("folder"));
  demand(state.folder.starts_with('/'));
  state.number = count_of(json.at("number"));
  demand(state.number < UINT64_MAX && json.at("done").is_array());
  for (const Json& file : json.at("done")) state.done.add(seen_file_of(file, has_made));
  state.to_name = later_names_of(json.at("to name"), state.id);
  state.living = later_names_of(json.at("living"), state.id);
  return state;
}

}  // namespace

std::string text_of(const FolderState& state) {
  auto done = Json::array();
  for (const auto& [number, file] : state.done.by_number()) done.push_back(json_of(file));
  const Json json = {{"id", state.id}, {"folder", hex(state.folder)},       {"number", state.number},
                     {"done", done},   {"to name", json_of(state.to_name)}, {"living", json_of(state.living)}};
  const std::string body = json_text(json) + "\n";
  return std::string(kTitle) + checksum_text(body) + "\n" + body;
}

FolderState folder_state_of(const std::string& text, const std::string& name) {
  const std::string where = printable(name) + ": ";
  const bool has_made = text.starts_with(kTitle);
  if (!has_made && !text.starts_with(kTitleBefore)) {
    if (!text.starts_with(kFolderStateTitle))
      throw Error(where + "is no state of warpmeter, so it is not written over");
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
    return state_of(json_of_text(std::string_view(text).substr(end + 1)), has_made);
  } catch (const std::exception&) {
    throw Error(damaged);
  }
}

}  // namespace warpmeter::inline packet
