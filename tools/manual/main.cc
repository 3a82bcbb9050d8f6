// write_manual FOLDER TOP VERSION DATE [PAGES]: the manual of the program, into share/man/ of FOLDER. TOP is that of
// the tree, PAGES where README.md and docs/ are installed (default: as by Debian's package). The date of the pages is
// DATE, or that of SOURCE_DATE_EPOCH.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "manual/manual.h"

namespace {

std::string date_of_pages(const std::string& of_release) {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (!epoch || !*epoch) return of_release;
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(std::stoll(epoch))))};
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                static_cast<unsigned>(day.day()));
  return text;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5 && argc != 6) throw std::runtime_error("usage: write_manual FOLDER TOP VERSION DATE [PAGES]");
  const warpmeter::ManualSources sources{argv[2], date_of_pages(argv[4]), argv[3],
                                         argc == 6 ? argv[5] : "/usr/share/doc/warpmeter"};
  warpmeter::write_manual(std::filesystem::path(argv[1]) / "share", sources);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_manual: %s\n", error.what());
  return 1;
}
