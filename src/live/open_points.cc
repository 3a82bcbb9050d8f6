#include "live/open_points.h"

#include <algorithm>
#include <string>

#include "ring/interface_point.h"
#include "warpmeter/printable.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

std::unique_ptr<ObservationPoint> open_point(const std::string& word, const LiveOptions& options) {
  return open_packet_point(word, options.rings, options.ring);
}

}  // namespace

std::vector<std::unique_ptr<ObservationPoint>> open_points(const LiveOptions& options, CpuPlan& cpus) {
  LiveOptions of_point = options;
  std::vector<std::unique_ptr<ObservationPoint>> points;
  for (const std::string& word : options.interfaces) {
    const bool twice = std::ranges::any_of(points, [&](const auto& point) { return point->name() == word; });
    if (twice) throw Error(printable(word) + " is named twice", ExitStatus::usage);
    of_point.ring.cpus = cpus.of_next(word);
    points.push_back(open_point(word, of_point));
    cpus.add(word, points.back()->rings());
  }
  return points;
}

}  // namespace warpmeter
