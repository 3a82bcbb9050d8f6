'use strict';
// The charts of `warpmeter report`.
const charts_of = () => {
  const time = data.time;
  const interval = i => {
    const from = time.first_ms + i * time.width_ms, to = from + time.width_ms;
    return `${day(from)} ${clock(from, time.width_ms)} to ${clock(to, time.width_ms)}`;
  };
  const ratio = (parts, wholes, fewest) => parts.map((part, i) => wholes[i] > fewest ? Math.min(1, part / wholes[i]) : null);
  const rate = time.bytes.map(value => value * 8000 / time.width_ms);
  // A share of a few says nothing and would set the scale; where there are few everywhere, it is all there is.
  const with_enough = time.data.filter(value => value >= 20).length;
  const fewest_data = with_enough >= 2 ? 19.99 : 0;
  const average_flows = time.flows.reduce((sum, value) => sum + value, 0) / time.flows.length;

  return {
    time: () => ({
      panels: [{ name: 'Traffic', values: rate, kind: 'traffic', format: bits, height: 170 }].concat(!data.retransmissions ? [] :
        [{ name: 'Retransmitted share of data segments' + (fewest_data ? ' (where there are 20 or more)' : ''),
          short: 'Retransmitted share of data segments', kind: 'trouble',
          values: ratio(time.retransmitted, time.data, fewest_data), format: percent, height: 110, least: 0.01, most: 1 }]),
      ticks: (n, most) => time_ticks(time, n, most),
      tell: i => [interval(i), `${bits(rate[i])}, ${count(Math.round(time.packets[i]))} packets`].concat(!data.retransmissions ? [] :
        [time.data[i] ? `${percent(Math.min(1, time.retransmitted[i] / time.data[i]))} retransmitted: about ` +
          `${exact(time.retransmitted[i])} of ${exact(time.data[i])} data segments` : 'no data segments']),
      columns: ['Interval (UTC)', 'Bytes', 'Packets', 'Data segments', 'Retransmitted'],
      cells: i => [interval(i), exact(time.bytes[i]), exact(time.packets[i]), exact(time.data[i]), exact(time.retransmitted[i])],
    }),
    gaps: () => ({
      panels: [
        { name: 'Missing bytes', values: time.missing, kind: 'gap', format: bytes, height: 110, base: 1024 },
        { name: 'Flows with 8 or more data segments that have a gap at some time', short: 'Flows that have a gap at some time', kind: 'trouble', format: percent, height: 110, least: 0.01, most: 1,
          values: ratio(time.flows_with_gaps, time.flows, average_flows / 10) }],
      ticks: (n, most) => time_ticks(time, n, most),
      tell: i => [interval(i), `${bytes(Math.round(time.missing[i]))} missing`, time.flows[i]
        ? `${percent(Math.min(1, time.flows_with_gaps[i] / time.flows[i]))} of flows have a gap` : 'no flows long enough to tell'],
      columns: ['Interval (UTC)', 'Missing bytes', 'Flows with gaps', 'Flows with 8 or more data segments'],
      cells: i => [interval(i), exact(time.missing[i]), exact(time.flows_with_gaps[i]), exact(time.flows[i])],
    }),
    sizes: () => {
      const from = bin => bin.bits ? bytes(2 ** (bin.bits - 1)) : '0 B';
      return {
        bars: true,
        panels: [
          { name: 'Flows of this size', values: data.sizes.map(b => b.flows), kind: 'traffic', format: count, height: 120, bars: true },
          { name: 'Bytes in them', values: data.sizes.map(b => b.bytes), kind: 'gap', format: bytes, height: 120, bars: true, base: 1024 }],
        ticks: () => data.sizes.map((bin, i) => ({ at: i, text: from(bin) })),
        tell: i => [`${from(data.sizes[i])} to under ${bytes(2 ** data.sizes[i].bits)}`, `${exact(data.sizes[i].flows)} flows`,
          `${bytes(data.sizes[i].bytes)} (${exact(data.sizes[i].bytes)} bytes)`],
        columns: ['Flow size from', 'Flows', 'Bytes'],
        cells: i => [from(data.sizes[i]), exact(data.sizes[i].flows), exact(data.sizes[i].bytes)],
      };
    },
    duplicates: () => {
      const names = ['up to 1 %', '1 to 10 %', '10 to 30 %', '30 to 45 %', 'about half', 'more'];
      return {
        bars: true,
        panels: [{ name: 'Copies, by the share of their flow’s packets that are copies', kind: 'trouble', format: count,
          values: data.duplicates.map(b => b.copies), height: 120, bars: true }],
        ticks: () => names.map((text, i) => ({ at: i + 0.5, text, bare: true })),
        tell: i => [`Flows of which ${names[i]} are copies`, `${exact(data.duplicates[i].copies)} copies`,
          `${exact(data.duplicates[i].flows)} flows`],
        columns: ['Copies among the flow’s packets', 'Copies', 'Flows'],
        cells: i => [names[i], exact(data.duplicates[i].copies), exact(data.duplicates[i].flows)],
      };
    },
    coalescing: () => {
      const rows = data.coalescing, name = row => `${bytes(row.threshold)}, ${row.timeout} ×`;
      const share = row => row.packets ? row.saved / row.packets : 0;
      return {
        bars: true,
        panels: [{ name: 'Share of packets saved, by threshold and timeout (times the average interval)', short: 'Share of packets saved',
          kind: 'traffic', format: percent, values: rows.map(share), height: 140, bars: true, fractions: true, most: 1 }],
        ticks: () => rows.map((row, i) => ({ at: i + 0.5, text: name(row), bare: true })),
        tell: i => [`Threshold ${bytes(rows[i].threshold)}, timeout ${rows[i].timeout} times the average interval`,
          `${percent(share(rows[i]))} saved: ${exact(rows[i].saved)} of ${exact(rows[i].packets)} packets`],
        columns: ['Threshold, timeout', 'Packets saved', 'Of all'],
        cells: i => [name(rows[i]), exact(rows[i].saved), percent(share(rows[i]))],
      };
    },
  };
};
