// What a reader makes of a text.
#pragma once

#include <string>
#include <vector>

#include "core/record_reader.h"
#include "record/read/text_source.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter::test {

struct ReadBack {
  std::vector<Biflow> flows;
  RecordLayout layout;
  std::optional<ReadDamage> damage;
};

template <class Reader>
ReadBack read_text(const std::string& text) {
  const ScratchFolder folder;
  write_file(folder.file("in"), text);
  Reader reader(std::make_unique<TextSource>(folder.file("in")));
  ReadBack read;
  for (Biflow flow; reader.next(flow);) read.flows.push_back(flow);
  read.layout = reader.layout();
  read.damage = reader.damage();
  return read;
}

template <class Reader>
std::string refusal(const std::string& text) {
  return thrown_text([&] { read_text<Reader>(text); });
}

}  // namespace warpmeter::test
