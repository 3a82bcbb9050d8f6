#include "record/read/flow_file.h"

#include <utility>

#include "record/read/record_input.h"
#include "warpmeter/capture_error.h"

namespace warpmeter::inline record {

FlowFile::FlowFile(std::unique_ptr<RecordReader> reader)
    : reader_(std::move(reader)), has_first_(reader_->next(first_)) {}

FlowFile FlowFile::open(const std::string& path, const std::atomic<bool>& interrupted) {
  try {
    return FlowFile(open_reader(path, &interrupted));
  } catch (const Error& error) {
    if (error.status() != ExitStatus::failed) throw;
    throw CaptureError(error.what());
  }
}

bool FlowFile::next(Biflow& flow) {
  if (has_first_) flow = first_;
  else if (!reader_->next(flow)) return false;
  has_first_ = false;
  const std::uint32_t absent = reader_->layout().absent;
  flow.forward.absent |= absent;
  flow.reverse.absent |= absent;
  return true;
}

}  // namespace warpmeter::inline record
