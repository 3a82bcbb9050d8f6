'use strict';
// What is done when the page has come: its tables work, and its charts are drawn. charts_of() is that of its kind.
for (const table of document.querySelectorAll('main table')) {
  if (table.tBodies[0].rows.length > 1) make_sortable(table);
  for (const row of table.querySelectorAll('tr[data-filter]')) offer_commands(table, row);
}

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
  redraw();
  new ResizeObserver(redraw).observe(figure);
}
