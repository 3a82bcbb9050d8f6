// What the user says about a capture that is to be written: its name, by which its form is known.
#pragma once

#include <optional>
#include <string>

#include "packet/write/packet_records.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// -o. Parsing sets `output`, which must outlive it.
void add_capture_output(CLI::App& command, std::optional<std::string>& output);

// Throws Error (usage) where no capture can be written to such a name. `others`: what else that error says of names.
CaptureForm capture_form_of(const std::string& name, const std::string& others = "");

}  // namespace warpmeter::inline app
