// --stats: written once, with the summary or, of a run that failed, with what went wrong; never over an input.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/files/output_file.h"

namespace warpmeter::inline pipeline {

class StatsFile {
 public:
  // Opens nothing. `inputs`: files and folders. An empty name: nothing is ever written.
  // A pipe's reader is waited for until `interrupted` is true; `gives_up`: as of OutputFile.
  StatsFile(std::string name, std::vector<std::string> inputs, const std::atomic<bool>& interrupted,
            const std::atomic<bool>* gives_up = nullptr)
      : name_(std::move(name)), inputs_(std::move(inputs)), interrupted_(interrupted), gives_up_(gives_up) {}

  // All inputs are there. From here on a failure is written only if one of the next was called as well.
  void inputs_are_known() { may_open_ = false; }

  // It is neither an input nor another output (FilesInUse).
  void is_claimed() { may_open_ = true; }

  // It is no input. Throws Error where it cannot be written.
  void open();

  // REQUIRES: open() has returned. Throws Error; then it is not tried again.
  void write(const std::string& text);

  // What a run throws ends it and is written, by its one line (messages.h); but for errors of usage, and what was
  // interrupted.
  void write_failure(const std::exception& error);

  // What is to be written of a run that failed with this message: once, by who knows most of it. Nothing, if the file
  // may be one of the inputs. Its own errors are told on standard error: the one that is on its way is what the run
  // ends with.
  void write_failure(const std::string& message, const std::string& text);

 private:
  bool may_be_input() const;

  const std::string name_;
  const std::vector<std::string> inputs_;
  const std::atomic<bool>& interrupted_;
  const std::atomic<bool>* const gives_up_;
  bool may_open_ = true;  // where a failure is to be written, and open() was not called
  std::unique_ptr<OutputFile> file_;
};

}  // namespace warpmeter::inline pipeline
