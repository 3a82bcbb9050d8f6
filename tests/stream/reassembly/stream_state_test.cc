// The steps that the state of a direction takes.
#include "stream/reassembly/tcb.h"

#include <gtest/gtest.h>

#include <string>

namespace warpmeter {
namespace {

std::string known_of(const StreamState& state) {
  std::string known;
  if (state.has_segments()) known += "segments ";
  if (state.has_position()) known += "position ";
  if (state.has_isn()) known += "isn ";
  if (state.is_ambiguous()) known += "ambiguous ";
  if (state.has_fin()) known += "fin ";
  if (state.is_finished()) known += "finished ";
  return known;
}

TEST(StreamState, IsSilentAtFirst) { EXPECT_EQ(known_of({}), ""); }

TEST(StreamState, BeginsWithData) {
  StreamState state;
  state.see_segment();
  EXPECT_EQ(known_of(state), "segments ");
  state.place();
  EXPECT_EQ(known_of(state), "segments position ");
  state.see_segment();
  state.place();
  EXPECT_EQ(known_of(state), "segments position ");
}

TEST(StreamState, BeginsWithAnIsn) {
  StreamState state;
  state.see_segment();
  state.place();
  state.see_isn();
  EXPECT_EQ(known_of(state), "segments position isn ");
  state.see_segment();
  state.place();
  EXPECT_EQ(known_of(state), "segments position isn ");
}

TEST(StreamState, ForgetsAnIsnThatIsOneOfSeveral) {
  StreamState state;
  state.see_segment();
  state.place();
  state.see_isn();
  state.forget_start();
  EXPECT_EQ(known_of(state), "ambiguous ");
  state.see_segment();
  EXPECT_EQ(known_of(state), "segments ambiguous ");
  state.place();
  EXPECT_EQ(known_of(state), "segments position ambiguous ");
  state.see_segment();
  state.place();
  EXPECT_EQ(known_of(state), "segments position ambiguous ");
}

TEST(StreamState, EndsWithAFinAndAllBeforeIt) {
  StreamState state;
  state.see_segment();
  state.see_fin();
  EXPECT_EQ(known_of(state), "segments fin ");
  state.finish();
  EXPECT_EQ(known_of(state), "segments fin finished ");
  state.see_fin();
  EXPECT_EQ(known_of(state), "segments fin finished ");
}

}  // namespace
}  // namespace warpmeter
