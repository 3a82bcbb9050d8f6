'use strict';
// What is done when the page has come: its tables work, its charts are drawn, and what the mouse finds out keys find out too.
// charts_of() is that of the page's kind.

// ---- Remarks on cells and tiles. Keys reach them: Tab the first of a table, arrow keys the others of it.
const tip_box = element(document.querySelector('main'), 'div', { id: 'tip', class: 'tip', role: 'tooltip' });
tip_box.hidden = true;
let tip_of = null;

const hide_tip = () => {
  if (tip_of) tip_of.removeAttribute('aria-describedby');
  tip_of = null;
  tip_box.hidden = true;
};

const show_tip = of => {
  hide_tip();
  tip_of = of;
  of.setAttribute('aria-describedby', 'tip');
  tip_box.textContent = of.dataset.tip;
  tip_box.hidden = false;
  const box = of.getBoundingClientRect(), left = Math.min(box.left, document.documentElement.clientWidth - tip_box.offsetWidth - 8);
  const above = box.top - tip_box.offsetHeight - 4;
  tip_box.style.left = Math.max(4, left) + scrollX + 'px';
  tip_box.style.top = (above > 0 ? above : box.bottom + 4) + scrollY + 'px';
};

const move_tip = (group, event) => {
  const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (event.key === 'Escape') hide_tip();
  if (!by || event.defaultPrevented || !event.target.dataset.tip) return;
  event.preventDefault();
  const all = [...group.querySelectorAll('[data-tip]')].filter(one => one.closest('table, dl') === event.target.closest('table, dl'));
  const to = event.target.cellIndex === undefined || event.key === 'ArrowLeft' || event.key === 'ArrowRight' ? all
    : all.filter(one => one.cellIndex === event.target.cellIndex);
  const next = to[to.indexOf(event.target) + by];
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

// Of the tables and lists in `where`.
const make_tips = where => {
  for (const group of where.querySelectorAll('table, dl')) {
    const all = [...group.querySelectorAll('[title]')];
    all.forEach((one, i) => {
      one.dataset.tip = one.title;
      one.removeAttribute('title');
      one.tabIndex = i ? -1 : 0;
      one.addEventListener('pointerenter', () => show_tip(one));
      one.addEventListener('pointerleave', hide_tip);
      one.addEventListener('focus', () => show_tip(one));
      one.addEventListener('blur', hide_tip);
    });
    if (all.length) group.addEventListener('keydown', event => move_tip(group, event));
  }
};

for (const table of document.querySelectorAll('main table')) {
  if (table.tBodies[0].rows.length > 1) make_sortable(table);
  make_offers(table);
}
make_tips(document.querySelector('main'));

// ---- Charts.
const charts = charts_of();
for (const figure of document.querySelectorAll('figure[data-chart]')) {
  const chart = charts[figure.dataset.chart]();
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(figure.clientWidth);
    if (width === drawn || width < 80) return;
    drawn = width;
    figure.replaceChildren();
    draw(figure, chart, width);
  };
  add_table(figure, chart);
  if (chart.control) chart.control(figure);
  redraw();
  new ResizeObserver(redraw).observe(figure);
}
