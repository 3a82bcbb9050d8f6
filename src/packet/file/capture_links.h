// Link types of captures: what a person calls them, and frames that could be decoded and are not to be read, by their
// link type, since a capture filter is none for them.
//
// Threads: any, at once.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/file/inputs.h"

namespace warpmeter::inline packet {

// Of a link type, for messages: "IEEE802_11_RADIO"; empty where the name is not known.
std::string bare_link_name(std::uint16_t link);

// "127 (IEEE802_11_RADIO)"; the number alone where the name is not known.
std::string link_name(std::uint16_t link);

// The files of a trace that have such frames beside others, and which: a line each, however often a file is opened.
class LeftOut {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.insert(std::move(line));
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return {lines_.begin(), lines_.end()};
  }

 private:
  mutable std::mutex mutex_;
  std::set<std::string> lines_ WARPMETER_GUARDED_BY(mutex_);  // in an order that does not depend on threads
};

// Throws Error, for the whole file, if frames of this link type are not to be read.
void require_link(const std::string& file, std::uint16_t link, const CaptureOptions& options);

// Of a file with interfaces, or records, of several link types: are frames of this one not to be read? Whatever is
// decided of a link type, is of all its frames.
class LinksOfFile {
 public:
  LinksOfFile(const std::string& file, const CaptureOptions& options) : file_(file), options_(options) {}

  // The file has told of this link type, which is decoded. Is it not to be read?
  bool is_refused(std::uint16_t link);

  // A frame of a link type that is refused has come. Throws Error, for the whole file, if the file has told of no other
  // link type.
  void leave_out(std::uint16_t link);

 private:
  const std::string file_;
  const CaptureOptions options_;
  std::set<std::uint16_t> taken_, refused_, left_out_;
};

}  // namespace warpmeter::inline packet
