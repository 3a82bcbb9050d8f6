'use strict';
// Charts: panels below each other over one horizontal axis, drawn as SVG from numbers. Colours and fonts come from the style
// sheet, so that light and dark need nothing here; a chart is drawn anew when its width changes.

// ---- Axes.
// The smallest step of 1, 2 or 5 times a power of the base that makes at most `most` of them.
const nice_step = (top, most, base) => {
  let unit = 1;
  if (base === 1024) while (top / unit > 1024) unit *= 1024;
  const raw = top / unit / most;
  if (base === 1024 && raw >= 1) {
    for (const step of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]) if (step >= raw) return step * unit;
    return 1024 * unit;
  }
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const step of [1, 2, 5, 10]) if (step * power >= raw * 0.9999) return step * power * unit;
  return 10 * power * unit;
};

const second = 1000, minute = 60 * second, hour = 60 * minute, whole_day = 24 * hour;
const time_steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, second, 2 * second, 5 * second, 10 * second, 15 * second,
  30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour,
  12 * hour, whole_day, 2 * whole_day, 7 * whole_day];

// [{at: bucket, text}] at round times.
const time_ticks = (series, n, most) => {
  const whole = n * series.width_ms;
  let step = time_steps.find(s => whole / s <= most);
  if (!step) for (step = 7 * whole_day; whole / step > most;) step *= 2;
  const ticks = [];
  for (let t = Math.ceil(series.first_ms / step) * step; t <= series.first_ms + whole; t += step) {
    ticks.push({ at: (t - series.first_ms) / series.width_ms, text: step >= whole_day ? day(t) : clock(t, step) });
  }
  return ticks;
};

// ---- SVG.
const holder = document.createElement('div');
holder.innerHTML = '<svg></svg>';
const namespace = holder.firstChild.namespaceURI;
const add = (parent, name, attributes, text) => {
  const element = document.createElementNS(namespace, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
};
const round = x => Math.round(x * 10) / 10;

// Steps, with a break where there is no value; closed down to the axis.
const step_path = (values, x, y) => {
  let path = '';
  for (let i = 0; i < values.length;) {
    if (values[i] === null) { ++i; continue; }
    path += `M${round(x(i))} ${round(y(0))}`;
    for (; i < values.length && values[i] !== null; ++i) path += `V${round(y(values[i]))}H${round(x(i + 1))}`;
    path += `V${round(y(0))}`;
  }
  return path;
};

const draw_bars = (svg, panel, x, y) => panel.values.forEach((value, i) => {
  if (!value) return;
  const left = x(i) + 1.5, width = Math.max(1, x(i + 1) - x(i) - 3), top = Math.min(y(value), y(0) - 1);
  add(svg, 'rect', { class: 'bar ' + panel.kind, x: round(left), y: round(top), width: round(width), height: round(y(0) - top) });
});

const draw_panel = (svg, panel, box, x, width) => {
  const highest = Math.max(...panel.values.map(v => v || 0));
  const nice = nice_step(highest || panel.least || 1, box.height > 120 ? 4 : 3, panel.base);
  const step = panel.bars && !panel.fractions ? Math.max(nice, 1) : nice;
  const top = Math.min(Math.ceil((highest || step) / step * 0.9999) * step, panel.most || Infinity);
  const y = value => box.top + box.height * (1 - value / top);
  for (let value = 0; value <= top * 1.0001; value += step) {
    add(svg, 'line', { class: value ? 'grid' : 'axis', x1: box.left, x2: box.right, y1: round(y(value)), y2: round(y(value)) });
    add(svg, 'text', { x: box.left - 8, y: round(y(value)) + 4, 'text-anchor': 'end' }, panel.format(value));
  }
  add(svg, 'text', { class: 'name', x: 0, y: box.top - 14 }, width < 560 && panel.short || panel.name);
  if (panel.bars) draw_bars(svg, panel, x, y);
  else add(svg, 'path', { class: 'area ' + panel.kind, d: step_path(panel.values, x, y) });
};

// Leaves out labels that would touch the one before or leave the picture.
const draw_ticks = (svg, ticks, x, box, width) => {
  let free = -Infinity;
  for (const tick of ticks) {
    const at = x(tick.at), half = tick.text.length * 3.4;
    if (at < box.left - 1 || at > box.right + 1) continue;
    if (!tick.bare) add(svg, 'line', { class: 'axis', x1: round(at), x2: round(at), y1: box.bottom, y2: box.bottom + 5 });
    const middle = Math.min(Math.max(at, half), width - half);
    if (middle - half < free) continue;
    free = middle + half + 10;
    add(svg, 'text', { x: round(middle), y: box.bottom + 19, 'text-anchor': 'middle' }, tick.text);
  }
};

// ---- A chart: panels below each other over one horizontal axis of n places, a line that follows the pointer (or the
// arrow keys) through all of them, and what they say there. To assistive programs it is a slider, whose value they read out
// as it moves.
const draw = (figure, chart, width) => {
  const n = chart.panels[0].values.length, left = 74, right = width - 6;
  const heights = chart.panels.map(panel => panel.height), gap = 42;
  const bottom = heights.reduce((sum, height) => sum + height + gap, 0) - gap + 30;
  const plot = figure.appendChild(document.createElement('div'));
  const attributes = { class: 'plot', role: 'slider', tabindex: 0, 'aria-label': 'Along the chart', 'aria-valuemin': 1,
    'aria-valuemax': n };
  for (const key in attributes) plot.setAttribute(key, attributes[key]);
  const svg = add(plot, 'svg', { height: bottom + 26, viewBox: `0 0 ${width} ${bottom + 26}`, 'aria-hidden': true });
  const x = i => left + (right - left) * i / n;
  let top = 30;
  chart.panels.forEach((panel, i) => {
    draw_panel(svg, panel, { left, right, top, height: heights[i] }, x, width);
    top += heights[i] + gap;
  });
  draw_ticks(svg, chart.ticks(n, Math.max(3, Math.floor((right - left) / 105))), x, { left, right, bottom }, width);
  const at = { left, right, bottom, n, x, width };
  at.place = event => (event.clientX - svg.getBoundingClientRect().left - left) / (right - left) * n;
  if (chart.mark) chart.mark(plot, svg, at);
  follow_pointer(figure, plot, svg, chart, at);
};

const kKeys = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

const follow_pointer = (figure, plot, svg, chart, at) => {
  const mark = chart.bars ? add(svg, 'rect', { class: 'hit', y: 30, height: at.bottom - 30, width: 0 })
    : add(svg, 'line', { class: 'cross', y1: 30, y2: at.bottom });
  const tip = figure.appendChild(document.createElement('div'));
  tip.className = 'tip';
  tip.setAttribute('aria-hidden', 'true');  // the slider's value says the same
  let place = 0;
  const value_is = i => {
    place = Math.min(Math.max(i, 0), at.n - 1);
    plot.setAttribute('aria-valuenow', place + 1);
    plot.setAttribute('aria-valuetext', chart.tell(place).join('; '));
  };
  const hide = () => { tip.hidden = true; mark.style.display = 'none'; };
  const show = i => {
    value_is(i);
    const lines = chart.tell(place), middle = (at.x(place) + at.x(place + 1)) / 2;
    tip.replaceChildren(...lines.map((line, k) => {
      const element = document.createElement(k ? 'div' : 'b');
      element.textContent = line;
      return element;
    }));
    tip.hidden = false;
    mark.style.display = '';
    if (chart.bars) { mark.setAttribute('x', at.x(place)); mark.setAttribute('width', at.x(place + 1) - at.x(place)); }
    else { mark.setAttribute('x1', middle); mark.setAttribute('x2', middle); }
    const beside = middle + 14 + tip.offsetWidth <= at.width ? middle + 14 : middle - 14 - tip.offsetWidth;
    tip.style.left = Math.max(0, beside) + 'px';
    tip.style.top = '30px';
  };
  value_is(0);
  hide();
  plot.addEventListener('pointermove', event => {
    const there = at.place(event);
    if (there >= 0 && there < at.n) show(Math.floor(there)); else hide();
  });
  plot.addEventListener('pointerleave', hide);
  plot.addEventListener('blur', hide);
  plot.addEventListener('focus', () => { if (plot.matches(':focus-visible')) show(place); });
  plot.addEventListener('keydown', event => {
    const by = kKeys[event.key];
    if (event.key === 'Escape') hide();
    if (!by) return;
    event.preventDefault();
    show(tip.hidden && Number.isFinite(by) ? place : place + by);
  });
};

// The same numbers as a table, made when it is opened.
const add_table = (figure, chart) => {
  const details = document.createElement('details');
  details.appendChild(document.createElement('summary')).textContent = 'The numbers as a table';
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return;
    const rows = chart.panels[0].values.map((_, i) => chart.cells(i).map(text => ({ text })));
    details.append(table_of(figure.getAttribute('aria-label'), chart.columns, rows));
  });
  figure.after(details);
};
