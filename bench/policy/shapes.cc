#include "shapes.h"

#include <algorithm>

#include "traffic.h"

namespace warpmeter::bench {
namespace {

// As the paper's Figure 7: every packet goes through all groups, and all rules are tried.
std::string policy_text(const Shape& shape) {
  std::string text = "[init]\ndefault = " + std::string(shape.groups ? "1" : "\"OUT\"") + "\n";
  for (unsigned g = 1; g <= shape.groups; ++g) {
    const std::string next = g < shape.groups ? std::to_string(g + 1) : "\"OUT\"";
    text +=
        "[[group]]\nid = " + std::to_string(g) + "\nmode = \"all\"\nmatch = " + next + "\nmismatch = " + next + "\n";
    unsigned rule = 0;
    for (const std::string& pattern : patterns_of(g, shape.patterns)) {
      text += std::string("[[group.rule]]\n") + shape.kind() + " = '" + pattern + "'\nlabel = \"g" + std::to_string(g) +
              "r" + std::to_string(++rule) + "\"\n";
    }
  }
  return text;
}

void make(Shape& shape) {
  if (shape.way != Way::scan) {
    shape.policy = std::make_shared<CompiledPolicy>(PolicyMemory::load(policy_text(shape)), shape.way == Way::fused);
    return;
  }
  const PatternMode mode = shape.is_stream ? PatternMode::stream : PatternMode::block;
  for (unsigned g = 1; g <= shape.groups; ++g) {
    shape.sets.push_back(std::make_shared<PatternSet>(patterns_of(g, shape.patterns), mode));
  }
}

std::vector<Shape> all_shapes(unsigned most, unsigned threads) {
  std::vector<Shape> shapes = {{false, Way::fused, 0, 0}};
  for (const bool stream : {false, true}) {
    for (const unsigned hundreds : {1u, 4u, 8u}) {
      if (hundreds > most) break;
      if (hundreds > 1) shapes.push_back({stream, Way::scan, hundreds, 100});
      shapes.push_back({stream, Way::scan, 1, 100 * hundreds});
      shapes.push_back({stream, Way::fused, 1, 100 * hundreds});
    }
    for (unsigned groups = 2; groups <= most; ++groups) {
      for (const Way way : {Way::fused, Way::apart}) shapes.push_back({stream, way, groups, 100});
    }
    if (threads == 1 || most < 4) continue;
    for (const unsigned patterns : {100u, 400u}) shapes.push_back({stream, Way::fused, 1, patterns, threads});
    for (const Way way : {Way::fused, Way::apart}) shapes.push_back({stream, way, 4, 100, threads});
  }
  return shapes;
}

}  // namespace

std::string Shape::name() const {
  return std::string(kind()) + "-" + way_word() + "-" + std::to_string(groups) + "x" + std::to_string(patterns) + "-" +
         std::to_string(threads);
}

std::vector<Shape> make_shapes(unsigned most, unsigned threads, const std::string& only) {
  std::vector<Shape> shapes = all_shapes(most, threads);
  if (!only.empty()) std::erase_if(shapes, [&](const Shape& shape) { return shape.name() != only; });
  for (Shape& shape : shapes) make(shape);
  return shapes;
}

}  // namespace warpmeter::bench
