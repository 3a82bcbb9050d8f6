// Where Flow Records are to go and in which form, parsed and with defaults filled in.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/program/files_in_use.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "record/collector/collector_options.h"
#include "record/ipfix/ipfix_options.h"
#include "record/text/file_format.h"
#include "record/text/text_table.h"
#include "record/write/address_anonymizer.h"
#include "record/write/named_later.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline record {

// By which names columns stand in files: our own, the same without units, or those of another schema.
enum class Naming : std::uint8_t { usual, unitless, ipfix, zeek, ecs };

// Which columns files have, in place of those of whole Flow Records.
struct ColumnChoice {
  std::vector<std::string> columns = {};  // in their order; empty: all
  Naming naming = Naming::usual;

  bool is_of_all() const { return columns.empty() && naming == Naming::usual; }
};

struct OutputOptions {
  std::string file;  // "-" = standard output; empty = none, with a collector
  Format format = Format::csv;
  TableStyle table;  // where that is a table
  Packing packing = Packing::none;
  unsigned threads = 1;           // that compress
  TimeForm times = TimeForm::ns;  // in text; of Parquet ns or us
  ExtraColumns extra_columns;     // that options add; in text and Parquet
  ColumnChoice choice;            // of files in text and Parquet
  // Makes the format of such a file. REQUIRES: it is there if the choice is not that of all.
  std::function<std::unique_ptr<FileFormat>(const OutputOptions&, const RecordLayout&)> make_chosen;
  std::uint64_t rotate_bytes = 0;  // a file that has reached this is complete, and the next begins; 0 = one file
  std::int64_t rotate_ns = 0;      // a file for each interval of this length, by the ends of flows; 0 = one file
  bool date_folders = false;       // with rotate_ns: files lie in date=2026-01-31/hour=12 beside the file's name
  // Files of an earlier run stay: with rotate_bytes numbers go on behind theirs; with rotate_ns, where a file of a name
  // is there already, this one has -2 behind it, and no Flow Records make no file.
  bool beside_earlier = false;
  bool while_running = false;               // records come while more are metered, in no order: held_writer.h
  NamedLater* named_later = nullptr;        // not owned; with while_running and rotate_ns: files are complete with each
                                            // flush(), and get their names from others
  std::string tmpdir;                       // where Flow Records wait for their interval, or for their place,
  std::uint64_t waiting_memory = 16 << 20;  // beyond so many bytes of them
  std::optional<AddressAnonymizer::Key> anonymize;  // addresses are replaced by this key
  // What cannot be written into files is counted as lost, and the run goes on: kept_file.h. Not with rotate_bytes, nor
  // of pipes and devices; nor where files are named later: they are to be written again then.
  bool goes_on = false;
  FilesInUse* in_use = nullptr;                    // not owned; none of these is taken for an output
  const std::atomic<bool>* interrupted = nullptr;  // not owned; once it is true, no reader of a pipe is waited for
  // Not owned. Once the first is true, no reader is waited for that is there and takes nothing: what it does not get is
  // told by a line in the second.
  const std::atomic<bool>* gives_up = nullptr;
  std::vector<std::string>* unread = nullptr;
  IpfixOptions ipfix;
  std::optional<CollectorOptions> collector;
  // Makes the writer of a program that takes the Flow Records itself, beside files and collector; empty: there is none.
  std::function<std::unique_ptr<RecordWriter>(const RecordLayout&)> taker;
  std::vector<OutputOptions> also;  // further files of the run, without collectors, takers and more of these
};

}  // namespace warpmeter::inline record
