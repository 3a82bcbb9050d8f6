// What the user says about the inputs of a command that reads captures.
#pragma once

#include "capture/input_format.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter {

// Adds --input-format, which sets `format`; that must outlive the parsing.
CLI::Option* add_input_format(CLI::App& command, InputFormat& format);

}  // namespace warpmeter
