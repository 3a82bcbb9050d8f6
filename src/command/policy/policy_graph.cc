#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "command/policy/policy.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

constexpr std::size_t kMostGroups = 200;
constexpr double kBox = 180, kBoxHeight = 46, kPassage = 24, kGap = 30, kLayer = 120, kMargin = 24, kLegend = 40;
constexpr GroupId kInit = kDrop + 1;

enum class Edge : std::uint8_t { both, match, mismatch, next };

// Colours that those see apart who do not see all of them (Okabe and Ito), and strokes that differ without any.
struct Stroke {
  const char *name, *colour, *dashes;
  double width;
};
constexpr Stroke kStrokes[] = {{"match and mismatch", "#000000", "none", 2.4},
                               {"match", "#0072b2", "none", 1.6},
                               {"mismatch", "#d55e00", "7 4", 1.6},
                               {"next of a rule, or init", "#595959", "2 3", 1.6}};

std::string escaped(const std::string& text) {
  std::string xml;
  for (const char c : text) {
    if (c == '&') xml += "&amp;";
    else if (c == '<') xml += "&lt;";
    else if (c == '>') xml += "&gt;";
    else if (c == '"') xml += "&quot;";
    else xml += c;
  }
  return xml;
}

// So much of a name as a box has room for.
std::string fitted(const std::string& name) {
  constexpr std::size_t kMost = 22;
  std::size_t characters = 0, at = 0;
  for (; at < name.size(); ++at) {
    if ((static_cast<unsigned char>(name[at]) & 0xc0) != 0x80 && ++characters > kMost) break;
  }
  return at == name.size() ? name : name.substr(0, at) + "\u2026";
}

// A group, where packets begin, or a place where a line passes through a layer.
struct Node {
  GroupId id = kOut;  // kOut: a line passes
  std::size_t layer = 0;
  double x = 0;      // of its middle
  double order = 0;  // within its layer
  double width() const { return id == kOut ? kPassage : kBox; }
};

struct Line {
  Edge edge;
  std::vector<std::size_t> nodes;  // from layer to layer
};

// Where a line leaves a box, from its middle.
double leaves_at(Edge edge) { return edge == Edge::match ? -kBox / 4 : edge == Edge::mismatch ? kBox / 4 : 0; }

class Drawing {
 public:
  explicit Drawing(const PolicyMemory& memory) : memory_(memory), unreachable_(memory.unreachable()) {
    place_groups();
    for (const auto& [id, node] : std::map<GroupId, std::size_t>(nodes_of_)) connect(id, node);
    arrange();
  }

  std::string svg() const;

 private:
  using Targets = std::set<std::pair<GroupId, Edge>>;

  // Of a group or of the initial table: where it leads, each once.
  Targets targets_of(GroupId id) const {
    Targets targets;
    if (id == kInit) {
      for (const InitRule& rule : memory_.init()) targets.emplace(rule.to, Edge::next);
      targets.emplace(memory_.init_default(), Edge::next);
      return targets;
    }
    const Group& group = memory_.groups().at(id);
    if (group.match == group.mismatch) targets.emplace(group.match, Edge::both);
    else targets = {{group.match, Edge::match}, {group.mismatch, Edge::mismatch}};
    for (const Rule& rule : group.rules) {
      if (rule.next) targets.emplace(*rule.next, Edge::next);
    }
    return targets;
  }

  // In the layer of the longest way there.
  void place_groups() {
    std::map<GroupId, std::size_t> layers;
    for (const auto& [to, edge] : targets_of(kInit)) layers[to] = 1;
    std::vector<GroupId> order = memory_.order();
    for (const GroupId id : order) {
      const std::size_t layer = std::max<std::size_t>(layers[id], 1);
      layers[id] = layer;
      for (const auto& [to, edge] : targets_of(id)) layers[to] = std::max(layers[to], layer + 1);
    }
    add_node(kInit, 0);
    for (const GroupId id : order) add_node(id, layers[id]);
  }

  void add_node(GroupId id, std::size_t layer) {
    if (id != kOut) nodes_of_[id] = nodes_.size();
    nodes_.push_back({id, layer});
    layers_.resize(std::max(layers_.size(), layer + 1));
    nodes_.back().order = static_cast<double>(layers_[layer].size());
    layers_[layer].push_back(nodes_.size() - 1);
  }

  void connect(GroupId id, std::size_t from) {
    for (const auto& [to, edge] : targets_of(id)) {
      if (is_end(to)) continue;
      Line line{edge, {from}};
      const std::size_t end = nodes_of_.at(to);
      for (std::size_t layer = nodes_[from].layer + 1; layer < nodes_[end].layer; ++layer) {
        add_node(kOut, layer);
        line.nodes.push_back(nodes_.size() - 1);
      }
      line.nodes.push_back(end);
      lines_.push_back(std::move(line));
    }
  }

  // Each node below the middle of what leads there; then side by side.
  void arrange() {
    std::vector<std::vector<std::pair<std::size_t, double>>> above(nodes_.size());  // and where the line leaves it
    for (const Line& line : lines_) {
      for (std::size_t i = 1; i < line.nodes.size(); ++i) {
        above[line.nodes[i]].emplace_back(line.nodes[i - 1], i == 1 ? leaves_at(line.edge) : 0);
      }
    }
    for (std::vector<std::size_t>& layer : layers_) {
      for (const std::size_t node : layer) {
        double sum = 0;
        for (const auto& [from, shift] : above[node]) sum += nodes_[from].x + shift;
        if (!above[node].empty()) nodes_[node].order = sum / static_cast<double>(above[node].size());
      }
      std::stable_sort(layer.begin(), layer.end(),
                       [&](std::size_t a, std::size_t b) { return nodes_[a].order < nodes_[b].order; });
      double width = -kGap;
      for (const std::size_t node : layer) width += nodes_[node].width() + kGap;
      double x = -width / 2;
      for (const std::size_t node : layer) {
        nodes_[node].x = x + nodes_[node].width() / 2;
        x += nodes_[node].width() + kGap;
      }
      widest_ = std::max(widest_, width);
    }
  }

  double x_of(const Node& node) const { return kMargin + widest_ / 2 + node.x; }
  static double y_of(const Node& node) { return kLegend + kMargin + static_cast<double>(node.layer) * kLayer; }
  std::string box(const Node& node) const;
  std::string path(const Line& line) const;
  std::string ends(const Node& node) const;

  const PolicyMemory& memory_;
  const std::vector<GroupId> unreachable_;
  std::vector<Node> nodes_;
  std::map<GroupId, std::size_t> nodes_of_;
  std::vector<std::vector<std::size_t>> layers_;
  std::vector<Line> lines_;
  double widest_ = 4 * kBox;  // of layers; the legend has room at least
};

std::string stroke_words(Edge edge) {
  const Stroke& stroke = kStrokes[static_cast<std::size_t>(edge)];
  return fmt::format(R"xml(fill="none" stroke="{}" stroke-width="{}" stroke-dasharray="{}" marker-end="url(#to{})")xml",
                     stroke.colour, stroke.width, stroke.dashes, static_cast<int>(edge));
}

std::string Drawing::box(const Node& node) const {
  const bool never = std::binary_search(unreachable_.begin(), unreachable_.end(), node.id);
  const std::string name = node.id == kInit ? "init" : printable(memory_.groups().at(node.id).name);
  std::string below = human_number_of(memory_.init().size(), "rule");
  if (node.id != kInit) {
    const Group& group = memory_.groups().at(node.id);
    below = fmt::format("{}: {}, {}{}", node.id, human_number_of(group.rules.size(), "rule"),
                        group.mode == GroupMode::all ? "all" : "first", never ? ", never reached" : "");
  }
  const double x = x_of(node), y = y_of(node);
  return fmt::format(R"(<g><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" rx="{}" fill="{}" )"
                     R"(stroke="#000000"{}/><text x="{:.1f}" y="{:.1f}" font-weight="bold">{}</text>)"
                     R"(<text x="{:.1f}" y="{:.1f}">{}</text></g>)"
                     "\n",
                     escaped(name), x - kBox / 2, y, kBox, kBoxHeight, node.id == kInit ? 20 : 4,
                     node.id == kInit ? "#f0f0f0" : "#ffffff", never ? R"( stroke-dasharray="4 3")" : "", x, y + 19,
                     escaped(fitted(name)), x, y + 36, below);
}

std::string Drawing::path(const Line& line) const {
  double x = x_of(nodes_[line.nodes.front()]) + leaves_at(line.edge), y = y_of(nodes_[line.nodes.front()]) + kBoxHeight;
  std::string d = fmt::format("M{:.1f} {:.1f}", x, y);
  for (std::size_t i = 1; i < line.nodes.size(); ++i) {
    const Node& to = nodes_[line.nodes[i]];
    const double end_x = x_of(to), end_y = y_of(to) - (to.id == kOut ? 0 : 2), middle = (y + end_y) / 2;
    d += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", x, middle, end_x, middle, end_x, end_y);
    x = end_x;
    y = end_y;
    if (to.id == kOut) d += fmt::format("V{:.1f}", y += kBoxHeight);
  }
  return fmt::format("<path d=\"{}\" {}/>\n", d, stroke_words(line.edge));
}

// Lines that lead out of the graph end below their box, with the word for where to.
std::string Drawing::ends(const Node& node) const {
  constexpr double kLength = 18;
  constexpr const char* kHalo = R"(stroke="#ffffff" stroke-width="4" paint-order="stroke")";  // above lines that pass
  std::string text;
  for (const auto& [to, edge] : targets_of(node.id)) {
    if (!is_end(to)) continue;
    const double shift = edge == Edge::next && node.id != kInit ? (to == kOut ? -22 : 22)
                         : to == kDrop && edge == Edge::next    ? 30
                                                                : 0;
    const double x = x_of(node) + leaves_at(edge) + shift, y = y_of(node) + kBoxHeight;
    text += fmt::format("<path d=\"M{:.1f} {:.1f}v{}\" {}/><text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y,
                        kLength, stroke_words(edge), x, y + kLength + 14, kHalo, group_word(to));
  }
  return text;
}

std::string Drawing::svg() const {
  const double width = widest_ + 2 * kMargin,
               height = kLegend + 2 * kMargin + static_cast<double>(layers_.size()) * kLayer - kLayer + kBoxHeight + 40;
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" )"
      R"(font-family="sans-serif" font-size="12" text-anchor="middle">)"
      "\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<defs>\n",
      width, height, escaped(policy_headline(memory_)));
  double x = kMargin;
  std::string legend;
  for (const Edge edge : {Edge::both, Edge::match, Edge::mismatch, Edge::next}) {
    const Stroke& stroke = kStrokes[static_cast<std::size_t>(edge)];
    text += fmt::format(R"(<marker id="to{}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" )"
                        R"(markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="{}"/></marker>)"
                        "\n",
                        static_cast<int>(edge), stroke.colour);
    legend += fmt::format("<path d=\"M{:.0f} {}h36\" {}/><text x=\"{:.0f}\" y=\"{}\" text-anchor=\"start\">{}</text>\n",
                          x, kMargin, stroke_words(edge), x + 44, kMargin + 4, stroke.name);
    x += kBox;
  }
  text += "</defs>\n" + legend;
  for (const Line& line : lines_) text += path(line);
  for (const Node& node : nodes_) {
    if (node.id != kOut) text += box(node) + ends(node);
  }
  return text + "</svg>\n";
}

}  // namespace

std::string policy_graph(const PolicyMemory& memory) {
  if (memory.groups().size() > kMostGroups) {
    throw Error(fmt::format("--svg draws at most {} groups, and there are {}", kMostGroups, memory.groups().size()),
                ExitStatus::usage);
  }
  return Drawing(memory).svg();
}

}  // namespace warpmeter::inline command
