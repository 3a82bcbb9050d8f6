// How far the captures of a folder have come, for a process that goes on after this one, as a text with a checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_name.h"
#include "packet/folder/seen_files.h"

namespace warpmeter::inline packet {

struct FolderState {
  std::string id;                  // of this state, on all hidden names that belong to it
  std::string folder;              // absolute
  std::uint64_t number = 0;        // how often it was written
  SeenFiles done;                  // their Flow Records are in complete files,
  std::vector<LaterName> to_name;  // some of which may still lack their names;
  std::vector<LaterName> living;   // or in these, which hold the flows that lived then: for who goes on
};

// What the text begins with.
inline constexpr std::string_view kFolderStateTitle = "warpmeter folder state ";

std::string text_of(const FolderState& state);

// Throws Error, beginning with the name: this is no such text, it was damaged, or it is of a later version.
FolderState folder_state_of(const std::string& text, const std::string& name);

}  // namespace warpmeter::inline packet
