// `--top 10 by COLUMN`: the words behind the number stand among the files until they are taken out here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpmeter::inline app {

struct Top {
  std::size_t most = 0;  // 0 = all
  std::string column;    // "" if none is named; perhaps with :asc or :desc
};

// `value`: "10" or "10 by COLUMN", or "" for all. Otherwise "by" and the word behind it are taken out of `files` if
// there are such. Throws Error (usage), also where nothing stands behind "by".
Top take_top(const std::string& value, std::vector<std::string>& files);

}  // namespace warpmeter::inline app
