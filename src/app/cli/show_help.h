// What `show --help` says behind its options, in parts: the manual pages take them, too.
#pragma once

#include <string>
#include <string_view>

namespace warpmeter::inline app {

std::string columns_help();
extern const std::string_view kFilterHelp, kFoldersHelp, kSumsHelp, kShowMemoryHelp, kShowExamples;

// All of them.
std::string show_help();

}  // namespace warpmeter::inline app
