'use strict';
// The charts of `warpmeter report`, and the part of the time that a reader chooses on one of them: its hosts are ranked anew.

// ---- A part of the time, as intervals of data.hosts: `from` to before `to`, by dragging over the chart or by its two sliders.
// All numbers are hundredths of segments; the page has each host that is among the first of any part.
const part = { from: 0, to: 0, listeners: [] };
const hosts_time = i => data.hosts.first_ms + i * data.hosts.width_ms;
const hosts_clock = i => clock(hosts_time(i), data.hosts.width_ms);
const is_whole = () => part.from === 0 && part.to === data.hosts.intervals;

const set_part = (from, to) => {
  [part.from, part.to] = [from, to];
  part.listeners.forEach(tell => tell());
};

// Of a row of data.hosts, hundredths in the part.
const sum_of = (row, values) => {
  let sum = 0;
  for (let i = Math.max(part.from - row.first, 0); i < Math.min(part.to - row.first, values.length); ++i) sum += values[i];
  return sum;
};

const ranked = () => data.hosts.hosts
  .map((row, i) => ({ row, i, retransmitted: sum_of(row, row.retransmitted), data: sum_of(row, row.data) }))
  .filter(one => one.retransmitted > 0)
  .sort((a, b) => b.retransmitted - a.retransmitted || a.i - b.i)
  .slice(0, data.hosts.rows);

const part_words = () => `${day(hosts_time(part.from))} ${hosts_clock(part.from)} to ${hosts_clock(part.to)}`;

const part_table = () => {
  const whole = sum_of(data.hosts.all, data.hosts.all.retransmitted), list = ranked();
  const share = (a, b) => b ? Math.min(1, a / b) : 0;
  const cells = one => [{ text: one.row.host, address: true },
    { text: `${exact(one.retransmitted / 100)} of ${exact(one.data / 100)}`, value: one.retransmitted },
    { text: share_text(share(one.retransmitted, one.data)), value: share(one.retransmitted, one.data),
      bar: share(one.retransmitted, one.data), sure: 0 },
    { text: share_text(share(one.retransmitted, whole)), value: share(one.retransmitted, whole), bar: share(one.retransmitted, whole) }];
  const shown = table_of(`Hosts, as senders, ${part_words()} (UTC): by number`,
    ['Sender', 'Segments retransmitted', 'Share of data segments', 'Of all retransmissions'], list.map(cells), 1, true);
  const table = shown.querySelector('table'), time = i => `"${new Date(hosts_time(i)).toISOString().replace('T', ' ').slice(0, -1)}"`;
  table.dataset.sort = 'retransmitted_segments';
  table.dataset.verdicts = 'retransmitted';
  [...table.tBodies[0].rows].forEach((row, i) => {
    row.dataset.filter = `${data.hosts.filter}${list[i].row.host} and end >= ${time(part.from)} and start < ${time(part.to)}`;
    row.dataset.host = list[i].row.host;
  });
  if (list.length > 1) make_sortable(table);
  make_offers(table);
  return shown;
};

// Below the chart: two sliders, what the part holds, and its hosts.
const part_control = figure => {
  if (!data.hosts) return;
  const last = data.hosts.intervals, ids = ['part-from', 'part-to'];
  const group = document.createElement('div');
  group.className = 'part';
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'A part of the time');
  const sliders = ['From', 'To'].map((name, k) => {
    const end = element(group, 'span');
    element(end, 'label', { for: ids[k] }, name);
    const slider = element(end, 'input', { id: ids[k], type: 'range', min: k, max: last - 1 + k, step: 1 });
    const told = element(end, 'output', { for: ids[k] });
    slider.addEventListener('input', () => {
      const at = Number(slider.value);
      if (k) set_part(Math.min(part.from, at - 1), at); else set_part(at, Math.max(part.to, at + 1));
    });
    return { slider, told };
  });
  const all = button(group, 'open', 'All of the time', () => set_part(0, last));
  const says = document.createElement('p');
  says.className = 'note';
  says.setAttribute('role', 'status');
  const hosts = document.createElement('div');
  figure.after(group, says, hosts);
  let later = 0;
  part.listeners.push(() => {
    [part.from, part.to].forEach((at, k) => {
      sliders[k].slider.value = at;
      sliders[k].told.textContent = hosts_clock(at);
      sliders[k].slider.setAttribute('aria-valuetext', hosts_clock(at));
    });
    all.hidden = is_whole();
    clearTimeout(later);
    later = setTimeout(() => {  // once it stands still: what is said is read out
      if (is_whole()) {
        says.textContent = 'Drag over the chart, or move one of its two ends, to rank the hosts of a part of the time.';
        return hosts.replaceChildren();
      }
      const sum = sum_of(data.hosts.all, data.hosts.all.retransmitted), of = sum_of(data.hosts.all, data.hosts.all.data);
      says.textContent = `${part_words()}: about ${exact(sum / 100)} of ${exact(of / 100)} data segments retransmitted` +
        `${of ? ', ' + percent(Math.min(1, sum / of)) : ''}.`;
      hosts.replaceChildren(...(sum ? [part_table()] : []));
    }, 150);
  });
  set_part(0, last);
};

// On the chart: what is chosen, and dragging.
const part_mark = (plot, svg, at) => {
  if (!data.hosts) return;
  const { time } = data, scale = data.hosts.width_ms / time.width_ms, before = (data.hosts.first_ms - time.first_ms) / time.width_ms;
  const place = i => Math.min(Math.max(at.x(before + i * scale), at.left), at.right);
  const mark = add(svg, 'rect', { class: 'chosen', y: 16, height: at.bottom - 16 });
  const tell = () => {
    mark.setAttribute('x', round(place(part.from)));
    mark.setAttribute('width', round(place(part.to) - place(part.from)));
    mark.style.display = is_whole() ? 'none' : '';
  };
  if (part.forget) part.listeners.splice(part.listeners.indexOf(part.forget), 1);
  part.listeners.push(part.forget = tell);
  tell();
  const interval = event => (at.place(event) - before) / scale;
  const within = i => Math.min(Math.max(Math.floor(i), 0), data.hosts.intervals - 1);
  let began = null;
  plot.classList.add('drag');
  plot.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    began = interval(event);
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener('pointermove', event => {
    if (began === null || Math.abs(interval(event) - began) * scale * (at.right - at.left) / at.n < 5) return;
    const [from, to] = [began, interval(event)].sort((a, b) => a - b);
    set_part(within(from), within(to) + 1);
  });
  const end = () => { began = null; };
  plot.addEventListener('pointerup', end);
  plot.addEventListener('pointercancel', end);
};

// ---- Charts.
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
      control: part_control,
      mark: part_mark,
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
    handshakes: () => {
      const bins = data.handshakes, from = bin => duration(bin.from_us / 1000), all = bins.reduce((sum, bin) => sum + bin.count, 0);
      const next = [10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7];
      const name = i => {
        const to = next.find(us => us > bins[i].from_us);
        return to ? `${from(bins[i])} to under ${duration(to / 1000)}` : `${from(bins[i])} and more`;
      };
      return {
        bars: true,
        panels: [{ name: 'Handshakes that took so long', values: bins.map(b => b.count), kind: 'traffic', format: count, height: 140, bars: true }],
        ticks: () => bins.map((bin, i) => ({ at: i, text: from(bin) })),
        tell: i => [name(i), `${exact(bins[i].count)} handshakes`, `${percent(bins[i].count / all)} of all`],
        columns: ['Time', 'Handshakes', 'Of all'],
        cells: i => [name(i), exact(bins[i].count), percent(bins[i].count / all)],
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
