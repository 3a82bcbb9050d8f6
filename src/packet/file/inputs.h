// The inputs as given on the command line, and the capture files they stand for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpmeter::inline packet {

// The formats of captures that can be read, and what a reader takes of them.

enum class InputFormat : std::uint8_t { automatic, pcap, pcapng, hpcap, erf };  // automatic: the content tells

class InterfaceList;
class LeftOut;

struct CaptureOptions {
  InputFormat format = InputFormat::automatic;  // anything else is an error
  bool resync = false;                          // goes on behind damage (resync.h)
  bool any_link = false;  // a file whose link types are all unknown is no error; its frames have kUnknownLink
  // Why frames of a link type are not to be read though they could be decoded; empty: they are. A file that has no
  // other frames is an error; of the others the line goes to `left_out`.
  std::function<std::string(std::uint16_t link)> refusal = {};
  std::shared_ptr<LeftOut> left_out = {};
  // Gets the interfaces of pcapng files, whose packets tell then where they are from, and where their options lie;
  // null: nobody wants to know.
  std::shared_ptr<InterfaceList> interfaces = {};
};

struct InputFiles {
  std::vector<std::string> files;
  std::vector<std::string> unreadable;  // messages: what of folders cannot be opened or read
  std::uint64_t passed_over = 0;        // readable files of folders that are no captures
  std::uint64_t folders_below = 0;      // that were not looked into
};

// Messages about several files in one line; of very many, the first.
std::string joined(const std::vector<std::string>& messages);

// Throws Error (usage) if standard input ("-") is given twice, and for a name that is empty, as of a variable that is
// not set: a message about it could not show it.
void check_names(const std::vector<std::string>& inputs);

// Files stay as they are, whether they exist or not; a folder becomes its capture files of this format in name order,
// with `recursive` those of all folders below it too, each folder once. What in a folder cannot be read is named, and
// so is a folder without captures, and a link to a file of /proc and the like; what is no file (a pipe, a socket)
// counts as passed over. Of files in folders that this run writes (`outputs`, and see OwnFiles) those that hold no
// packets are left out: no other may be replaced, and who opens the output says so. `is_other`: files of another kind
// that are as good as captures. Throws Error if there are no captures at all, and as check_names().
InputFiles expand_inputs(const std::vector<std::string>& inputs, InputFormat format = InputFormat::automatic,
                         bool recursive = false, const std::vector<std::string>& outputs = {},
                         std::function<bool(const std::string& file)> is_other = {});

}  // namespace warpmeter::inline packet
