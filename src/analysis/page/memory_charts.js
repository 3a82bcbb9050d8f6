'use strict';
// The charts of `warpmeter memory`: what 1 Gbit/s would need, by timeout and by block size.
const charts_of = () => {
  const memory = value => scaled(value, 1000, [' B', ' kB', ' MB', ' GB', ' TB', ' PB', ' EB']);
  const timeout = i => `${data.timeouts[i]} s`, block = i => `${data.blocks[i]}K`;

  // `means`, `peaks`: a bar each, of the places that `name` names.
  const bars = (what, format, means, peaks, heading, name) => ({
    bars: true,
    panels: [
      { name: `${what} on average, of 1 Gbit/s`, values: means, kind: 'traffic', format, height: 120, bars: true, fractions: true },
      { name: `${what} at most, of 1 Gbit/s`, values: peaks, kind: 'gap', format, height: 120, bars: true, fractions: true }],
    ticks: () => means.map((_, i) => ({ at: i + 0.5, text: name(i), bare: true })),
    tell: i => [`${heading} ${name(i)}`, `${format(means[i])} on average`, `${format(peaks[i])} at most`],
    columns: [heading, 'On average', 'At most'],
    cells: i => [name(i), exact(means[i]), exact(peaks[i])],
  });

  return {
    streams: () => bars('Streams', count, data.streams.mean, data.streams.peak, 'Timeout', timeout),
    timeouts: () => bars('Buffered', memory, data.by_timeout.mean, data.by_timeout.peak, 'Timeout', timeout),
    blocks: () => bars('Buffered', memory, data.by_block.mean, data.by_block.peak, 'Block size', block),
  };
};
