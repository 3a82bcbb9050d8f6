// A file of Flow Records, and several of them, read one after the other as if they were one; or what a program gives in
// their place.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/annotations.h"
#include "core/record_reader.h"
#include "record/read/geo_databases.h"
#include "record/read/record_inputs.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {

// One file of Flow Records, whatever its format, that has been looked into: its first flow has been read.
class FlowFile {
 public:
  explicit FlowFile(std::unique_ptr<RecordReader> reader);
  // "-" is standard input. Throws CaptureError (it cannot be opened, or holds none), or Error (usage). Once
  // `interrupted` turns true, the file ends.
  static FlowFile open(const std::string& path, const std::atomic<bool>& interrupted);

  // Until next() has given it: the first flow, null if there is none.
  const Biflow* first() const { return has_first_ ? &first_ : nullptr; }

  // False at the end, or at damage. What the file does not have is absent from each flow. Throws Error.
  bool next(Biflow& flow);

  // As of the reader, but for the numbers of columns of annotations, which are those of AnnotationNames.
  const RecordLayout& layout() const { return layout_; }
  const std::optional<ReadDamage>& damage() const { return reader_->damage(); }
  // Of the flow that next() gave last. Valid until next() is called again.
  const Annotations& annotations() const { return annotations_; }
  bool left_out_labels() const { return left_out_labels_; }  // of that flow
  bool leaves_out_columns() const { return reader_->leaves_out_columns(); }

 private:
  void take_layout();
  void know_columns(const ExtraColumns& columns);
  void take_annotations();

  std::unique_ptr<RecordReader> reader_;
  Biflow first_;
  bool has_first_;
  std::size_t columns_ = 0;                            // of the reader that are known
  std::vector<std::optional<std::uint32_t>> numbers_;  // of annotations, by those of the reader
  RecordLayout layout_;                                // with these
  Annotations annotations_;
  bool left_out_labels_ = false;
};

struct DamagedFile {
  std::string name;
  ReadDamage damage;
};

// What it came to.
struct FilesRead {
  std::uint64_t flows = 0;
  std::vector<DamagedFile> damage;
  std::vector<std::string> unreadable;  // messages
  std::size_t again = 0;                // files that were named again, and read once
  std::string told;                     // of several files together; empty: nothing worth telling
  bool all = true;                      // to the end, before any interrupt
  std::uint64_t labels_cut = 0;         // flows that have more labels than are kept
  std::size_t columns_cut = 0;          // files that have more columns of annotations than are read
  bool lacks_biflows = false;           // none is there, and somebody asked for what only biflows have
};

// Lines for the user of what could not be read. `place`: where what came before damage is, "in the output".
std::vector<std::string> warnings_of(const FilesRead& read, std::string_view place);

class FlowFiles {
 public:
  // Looks into all of them, so that what is none is told before anything is written. One that cannot be read is passed
  // over, and so is the rest of one that fails on the way; throws Error if there is no other (CaptureError: it cannot
  // be opened, or holds none). Once `interrupted` turns true, next() comes to its end.
  FlowFiles(RecordInputs inputs, const std::atomic<bool>& interrupted);
  // The reader alone, by a name for messages.
  FlowFiles(std::unique_ptr<RecordReader> reader, std::string name, const std::atomic<bool>& interrupted);

  // False at the end of the last file. `absent` holds what its file does not have as well; `arrival` is the number of
  // the flow's first packet in the trace, 0 where its file does not tell.
  bool next(Biflow& flow);
  // Of that flow; valid until next() is called again.
  const Annotations& annotations() const { return geo_ ? located_ : opened_[at_]->annotations(); }
  // From now on, flows have the columns of `geo`, which must outlive this. Before the first next().
  void locate(GeoDatabases& geo);
  // The end has been reached, before any interrupt.
  bool read_all() const { return read_all_; }

  // Of all files, as far as they have been read: a column is absent if no file has it, and there is one of annotations
  // if any has it.
  const RecordLayout& layout() const { return layout_; }
  std::uint64_t flows() const { return flows_; }
  const std::vector<DamagedFile>& damage() const { return damage_; }
  const std::vector<std::string>& unreadable() const { return inputs_.unreadable; }  // messages
  // Of them all, for a summary; nothing to say of files that were named, each once, and could be read.
  bool worth_telling() const { return inputs_.of_several || inputs_.again || !inputs_.unreadable.empty(); }
  std::string told() const { return warpmeter::told(inputs_, inputs_.unreadable.size()); }
  // "12.3 M flows, file 2 of 5"
  std::string how_far() const;
  // All of that, so far.
  FilesRead read() const {
    return {flows_,    damage_,     unreadable(), inputs_.again, worth_telling() ? told() : "",
            read_all_, labels_cut_, columns_cut_, false};
  }

 private:
  void look_into_all();
  bool next_of(std::size_t file, Biflow& flow);
  void add_layout(const RecordLayout& layout);
  void note_unreadable(const Error& error);

  RecordInputs inputs_;
  const std::atomic<bool>& interrupted_;
  std::vector<std::optional<FlowFile>> opened_;  // those being read, and pipes, which cannot be opened twice
  std::size_t at_ = 0;
  bool read_all_ = false;
  RecordLayout layout_;
  GeoDatabases* geo_ = nullptr;
  Annotations located_;  // where that is there
  std::uint64_t flows_ = 0;
  std::vector<DamagedFile> damage_;
  std::uint64_t labels_cut_ = 0;
  std::size_t columns_cut_ = 0;
};

// A line on the terminal of standard error that tells how far reading is, if it takes longer than a second; wiped in
// the end. One thread, that of the reading.
class RecordProgress {
 public:
  // `files` must outlive it.
  RecordProgress(const FlowFiles& files, bool wanted);
  ~RecordProgress();

  // After each flow.
  void tick() {
    if (is_wanted_ && ++ticks_ % kTicks == 0) look();
  }

 private:
  static constexpr std::uint64_t kTicks = 1024;
  void look();

  const FlowFiles& files_;
  const bool is_wanted_;
  std::uint64_t ticks_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_;
};

}  // namespace warpmeter::inline record
