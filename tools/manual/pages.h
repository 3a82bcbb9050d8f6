// Each page of the manual, as the text of man(7).
#pragma once

#include <string>

#include "manual/manual.h"

namespace warpmeter {

std::string program_page(const CLI::App& app, const ManualSources& sources);
std::string command_page(const CLI::App& app, const CLI::App& command, const ManualSources& sources);
std::string columns_page(const CLI::App& app, const ManualSources& sources);
std::string filter_page(const CLI::App& app, const ManualSources& sources);

}  // namespace warpmeter
