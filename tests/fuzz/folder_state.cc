// The state of a folder, as a run before left it. The first byte: 1, all else is the text; otherwise the text gets a
// title and the right checksum (bit 1: as version 1 of the state), and all else is what they are about.
//
// What is believed leads to names that are renamed and deleted: they must be this state's. It is written as it is read.
#include "packet/folder/state_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "fuzz/input_bytes.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {
namespace {

std::string whole_text(InputBytes input) {
  const std::uint8_t how = input.u8();
  const std::string body = input.rest();
  if (how & 1) return body;
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : body) sum = (sum ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return fmt::format("warpmeter folder state {} {:016x}\n{}", how & 2 ? 1 : 2, sum, body);
}

void check_hidden(const LaterName& file, const std::string& id) {
  const std::string name = file.before + file.behind;
  must(name.starts_with('/') && name.find('\0') == std::string::npos && !name.ends_with('/'));
  must(file.hidden.starts_with(name + "." + id + ".") && file.hidden.ends_with(".part"));
  must(file.hidden.find('\0') == std::string::npos && file.behind.find('/') == std::string::npos);
  must(std::filesystem::path(file.hidden).parent_path() == std::filesystem::path(name).parent_path());
}

void check(const FolderState& state) {
  must(!state.id.empty() && state.id.find_first_not_of("0123456789abcdef") == std::string::npos);
  must(state.folder.starts_with('/') && state.folder.find('\0') == std::string::npos);
  must(state.number + 1 > state.number);
  for (const auto& [number, file] : state.done.by_number()) {
    must(number == file.number && !file.name.empty() && file.name != "." && file.name != "..");
    must(file.name.find('/') == std::string::npos && file.name.find('\0') == std::string::npos);
    must(file.fate <= Fate::alike);
  }
  for (const LaterName& file : state.to_name) check_hidden(file, state.id);
  for (const LaterName& file : state.living) check_hidden(file, state.id);
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  const std::string text = fuzz::whole_text({data, size});
  try {
    const FolderState state = folder_state_of(text, "a\nname");
    fuzz::check(state);
    const std::string written = text_of(state);
    fuzz::must(text_of(folder_state_of(written, "again")) == written);
  } catch (const Error& error) {
    fuzz::must_be_a_line(error.what(), "a\\nname: ");
  }
  return 0;
}
