// Offers metrics over HTTP, by libmicrohttpd: GET and HEAD of /metrics, and of / one line that tells where they are.
//
// Whoever connects costs little, whatever he does: one thread of the lowest priority serves all, a few connections at
// once, each with few KiB for its request, one answer and a few seconds of life. The text is made anew at most ten
// times a second.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/metrics/metrics_address.h"

namespace warpmeter::inline base {

bool built_with_metrics();

class MetricsServer {
 public:
  // Listens before it returns; serves until its end. `metrics` gives the text and is called from the thread that
  // serves, one call at a time. Throws Error where nothing can listen there, or HTTP is not built in.
  MetricsServer(const MetricsAddress& address, std::function<std::string()> metrics,
                std::chrono::milliseconds longest_connection = std::chrono::seconds(5));
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // With the port that it got.
  const MetricsAddress& address() const { return address_; }

 private:
  struct Http;

  MetricsAddress address_;
  std::unique_ptr<Http> http_;
};

}  // namespace warpmeter::inline base
