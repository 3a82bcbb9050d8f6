// A capture whose right answer is known, made from a seed: for tests and benches of a TCP-aware flow meter.
#include <csignal>
#include <cstdio>

#include "generator.h"
#include "generator_options.h"
#include "output.h"
#include "truth.h"

namespace {

volatile std::sig_atomic_t stop = 0;
void on_signal(int) { stop = 1; }

int fail(const std::string& error) {
  std::fprintf(stderr, "traffic_gen: %s\n", error.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace traffic_gen;
  int status = 0;
  const std::optional<Options> options = parse(argc, argv, status);
  if (!options) return status;

  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);

  Truth truth(*options);
  if (truth.failed()) return fail(truth.error());
  Output output(options->output);
  if (output.state() == Output::State::kFailed) return fail(output.error());

  Generator generator(*options, output, truth);
  const uint64_t frames = generator.run(&stop);
  output.close();
  truth.finish(frames, output.state() == Output::State::kGood);
  if (output.state() == Output::State::kFailed) return fail(output.error());
  if (truth.failed()) return fail(truth.error());
  return stop ? 130 : 0;
}
