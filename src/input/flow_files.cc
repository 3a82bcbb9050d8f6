#include "input/flow_files.h"

#include <filesystem>
#include <utility>

#include "capture/inputs.h"
#include "input/record_input.h"

namespace warpmeter {

struct FlowFiles::Opened {
  Opened(const std::string& path, const std::atomic<bool>& interrupted)
      : reader(open_reader(path, &interrupted)), has_first(reader->next(first)) {}

  bool next(Biflow& flow) {
    if (!has_first) return reader->next(flow);
    flow = first;
    has_first = false;
    return true;
  }

  std::unique_ptr<RecordReader> reader;
  Biflow first;
  bool has_first;
};

FlowFiles::FlowFiles(RecordInputs inputs, const std::atomic<bool>& interrupted)
    : inputs_(std::move(inputs)), interrupted_(interrupted) {
  layout_.absent = ~std::uint32_t{0};
  look_into_all();
}

FlowFiles::~FlowFiles() = default;

void FlowFiles::look_into_all() {
  std::vector<std::string> readable;
  for (const std::string& path : inputs_.files) {
    try {
      auto opened = std::make_unique<Opened>(path, interrupted_);
      add_layout(opened->reader->layout());
      std::error_code ignored;
      const bool again = !readable.empty() && std::filesystem::is_regular_file(path, ignored);
      opened_.push_back(again ? nullptr : std::move(opened));
      readable.push_back(path);
    } catch (const Error& error) {
      note_unreadable(error);
    }
  }
  if (readable.empty()) throw Error(joined(inputs_.unreadable));
  inputs_.files = std::move(readable);
}

// Called by handlers. What is wrong with one file is nothing for the others.
void FlowFiles::note_unreadable(const Error& error) {
  const bool alone = inputs_.files.size() == 1 && inputs_.unreadable.empty();
  if (alone || error.status() != ExitStatus::failed) throw;
  inputs_.unreadable.push_back(error.what());
}

void FlowFiles::add_layout(const RecordLayout& layout) {
  layout_.vlan |= layout.vlan;
  layout_.biflow |= layout.biflow;
  layout_.absent &= layout.absent;
}

bool FlowFiles::next(Biflow& flow) {
  for (; at_ < inputs_.files.size() && !interrupted_; ++at_) {
    try {
      if (next_of(at_, flow)) return true;
    } catch (const Error& error) {
      note_unreadable(error);
    }
    opened_[at_].reset();
  }
  // A reader that is interrupted ends as if its file did.
  read_all_ = read_all_ || (at_ == inputs_.files.size() && !interrupted_);
  return false;
}

bool FlowFiles::next_of(std::size_t file, Biflow& flow) {
  const std::string& path = inputs_.files[file];
  std::unique_ptr<Opened>& opened = opened_[file];
  if (!opened) opened = std::make_unique<Opened>(path, interrupted_);
  const bool more = opened->next(flow);
  const RecordLayout layout = opened->reader->layout();
  add_layout(layout);
  if (!more) {
    if (const auto& damage = opened->reader->damage()) {
      damage_.push_back({path == "-" ? "standard input" : path, *damage});
    }
    return false;
  }
  flow.forward.absent |= layout.absent;
  flow.reverse.absent |= layout.absent;
  flow.forward.arrival = flow.reverse.arrival = ++flows_;
  return true;
}

}  // namespace warpmeter
