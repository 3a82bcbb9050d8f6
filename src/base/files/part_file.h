// A file that gets its name when it is complete. Until then it has none, so that nothing is left behind whatever ends
// the program; where the file system cannot do that (NFS, older overlayfs), it has a name that nobody can foresee,
// beside its place, and is removed with the object. Nothing that exists is opened, and no link is followed.
//
// The folder is held open: that a parent is renamed meanwhile does no harm.
#pragma once

#include <string>

#include "base/files/descriptor.h"
#include "base/files/output_place.h"

namespace warpmeter::inline base {

class PartFile {
 public:
  enum class Name { none_if_possible, at_once };

  // REQUIRES: what is at `place`, if anything, is a regular file. Throws std::system_error.
  explicit PartFile(const OutputPlace& place, Name name = Name::none_if_possible, Readers readers = Readers::by_umask);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  int descriptor() const { return file_.get(); }

  // Gives the file its place. What was there is replaced in one step, and its rights are kept. Of several that do this
  // with one place the last one stays, whole. Throws std::system_error, and the file at the place is the old one then.
  void commit();

  // The same, but take_back() undoes it: what was there keeps a hidden name until this object goes.
  void commit_for_now();
  // REQUIRES: commit_for_now() has returned. Throws nothing: as far as it can be, the place has what it had before.
  void take_back();

 private:
  PartFile(const std::string& base, bool replaces, Readers readers);
  void open_folder(const OutputPlace& place);
  void open_nameless();
  void open_named();
  struct stat old_file(Readers readers) const;
  void take_over(const struct stat& old);
  void close_a_copy() const;
  void give_hidden_name();
  void exchange();
  bool is_in_place() const;
  bool link_as(const std::string& name) const;
  std::string new_name() const;

  const std::string base_;
  const bool replaces_, is_private_;
  Descriptor folder_, file_;
  std::string name_;  // in the folder, of this file, or of what it has replaced for now; empty: there is none
};

}  // namespace warpmeter::inline base
