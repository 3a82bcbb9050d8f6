// The files of a folder that have been read, so that none is read twice: whatever it is called by now, and also by a
// later process (state_file.h).
//
// A file is the same if its number (inode), the time when it was made, and the time of its first packet are; as long
// as that is not known, its number, size and time of change; or, where a folder was copied or a file compressed
// (tcpdump -z gzip), its name without .gz and the like, and its first packet. One that was written anew under its old
// number (as tcpdump -W does) has another first packet; one that has not may have grown. File systems use the number
// of a file that is gone again at once: where they do not say when a file was made, its size or its name must be the
// same, too.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace warpmeter::inline packet {

enum class Fate : std::uint8_t {
  whole,     // read to its end, and nothing was wrong with it
  damaged,   // read in part
  not_read,  // nothing of it
  alike,     // nothing of it: one of its name and first packet was read, as a copy has it
};

struct SeenFile {
  std::string name;  // in the folder
  std::uint64_t number = 0;
  std::uint64_t size = 0;                     // bytes
  std::int64_t changed_ns = 0;                // since 1970 UTC, by the file system
  std::int64_t made_ns = 0;                   // likewise; 0: the file system does not say
  std::optional<std::int64_t> first_ns = {};  // the time of its first packet
  bool is_link = false;
  Fate fate = Fate::whole;
  bool told_changed = false;  // users know
};

class SeenFiles {
 public:
  // Null: this was not seen. Else what is known of it, perhaps under another name. `file` may lack first_ns, as long as
  // nobody knows it.
  const SeenFile* find(const SeenFile& file) const;

  // Instead of what was known of this number.
  void add(const SeenFile& file);
  // That file, and no other which has its number by now.
  void forget(const SeenFile& file);
  // Forgets what is not in the folder any more, under whatever name. Where that cannot be told nothing is forgotten.
  void keep_those_in(int folder);

  std::size_t size() const { return by_number_.size(); }
  const std::map<std::uint64_t, SeenFile>& by_number() const { return by_number_; }

 private:
  std::map<std::uint64_t, SeenFile> by_number_;
  std::map<std::string, std::uint64_t, std::less<>> by_name_;  // unpacked; the number may have another one by now
};

// Are these one file of the file system, whatever it is called and holds by now?
bool is_one_file(const SeenFile& a, const SeenFile& b);

// Do these names say the same of how the files are packed?
bool packed_alike(const std::string& a, const std::string& b);

// The file of this name is gone, and there is one that it was packed to, which has its packets.
bool is_packed_by_now(int folder, const std::string& name);

// What the file system says of it now; of a link that leads nowhere, or if none is followed, what it says of the link.
// Nothing: it is not there, or no regular file.
std::optional<SeenFile> look_at_entry(int folder, const std::string& name, bool follows = true);

}  // namespace warpmeter::inline packet
