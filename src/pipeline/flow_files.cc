#include "pipeline/flow_files.h"

#include <filesystem>
#include <utility>

#include "pipeline/record_input.h"

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

FlowFiles::FlowFiles(std::vector<std::string> paths, const std::atomic<bool>& interrupted)
    : paths_(std::move(paths)), interrupted_(interrupted), opened_(paths_.size()) {
  layout_.absent = ~std::uint32_t{0};
  for (std::size_t i = 0; i < paths_.size(); ++i) look_into(i);
}

FlowFiles::~FlowFiles() = default;

void FlowFiles::look_into(std::size_t file) {
  std::error_code ignored;
  auto opened = std::make_unique<Opened>(paths_[file], interrupted_);
  add_layout(opened->reader->layout());
  if (file == 0 || !std::filesystem::is_regular_file(paths_[file], ignored)) opened_[file] = std::move(opened);
}

void FlowFiles::add_layout(const RecordLayout& layout) {
  layout_.vlan |= layout.vlan;
  layout_.biflow |= layout.biflow;
  layout_.absent &= layout.absent;
}

bool FlowFiles::next(Biflow& flow) {
  for (; at_ < paths_.size() && !interrupted_; ++at_) {
    std::unique_ptr<Opened>& opened = opened_[at_];
    if (!opened) opened = std::make_unique<Opened>(paths_[at_], interrupted_);
    if (opened->next(flow)) {
      const RecordLayout layout = opened->reader->layout();
      add_layout(layout);
      flow.forward.absent |= layout.absent;
      flow.reverse.absent |= layout.absent;
      flow.forward.arrival = flow.reverse.arrival = ++flows_;
      return true;
    }
    add_layout(opened->reader->layout());
    if (const auto& damage = opened->reader->damage()) {
      damage_.push_back({paths_[at_] == "-" ? "standard input" : paths_[at_], *damage});
    }
    opened.reset();
  }
  return false;
}

}  // namespace warpmeter
