// What a terminal can do, by itself and by what its user says in the environment.
#pragma once

#include <cstddef>

namespace warpmeter::inline base {

// $COLUMNS, else what the terminal says; 0 where the descriptor is none, or does not know.
std::size_t terminal_columns(int descriptor);

// It is a terminal that can go back on its line and clear it: any but TERM=dumb.
bool can_redraw(int descriptor);

// It has colours, and nobody has set NO_COLOR.
bool can_colour(int descriptor);

}  // namespace warpmeter::inline base
