// Names of the program's own outputs in a folder that it reads, so that it does not read them: that of each output, and
// those of the files of --rotate (for NAME.csv NAME.000001.csv, NAME.20260131T120000Z.csv, and so on).
#pragma once

#include <string>
#include <vector>

namespace warpmeter::inline packet {

class OwnNames {
 public:
  // `outputs`: those that lie elsewhere are of no interest. Throws nothing: what cannot be looked at is not there.
  OwnNames(const std::string& folder, const std::vector<std::string>& outputs);

  bool contains(const std::string& name) const;

 private:
  struct Around {
    std::string before, behind;  // the part that --rotate puts in
  };
  std::vector<std::string> names_;
  std::vector<Around> rotated_;
};

}  // namespace warpmeter::inline packet
