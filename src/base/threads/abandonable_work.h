// Work that nobody can interrupt, as compiling patterns is, for those who wait only so long for it.
//
// It runs on a thread of its own. What is not over in time goes on alone, at the lowest priority, and what comes of it
// is thrown away. A process that ends meanwhile must not take away what such a thread still uses: main() asks
// abandoned_work(), and leaves destructors of static objects out.
//
// Threads: any. Errors: what the work throws; std::system_error where no thread can begin.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

namespace warpmeter::inline base {

enum class WorkEnd { done, late, stopped };

// Whatever `work` refers to, it owns or shares: it may outlive its caller. done: it is over, and all it did is seen
// here. stopped: that was asked for.
WorkEnd run_or_abandon(std::function<void()> work, std::chrono::milliseconds longest, const std::stop_token& stop);

// How many were left alone in this process and are not over.
unsigned abandoned_work();

}  // namespace warpmeter::inline base
