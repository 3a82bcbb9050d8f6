'use strict';
// Tables: made from numbers, their rows sorted, and what rows offer below them: commands, and the worst flows of a host.
const element = (parent, name, attributes = {}, text = undefined) => {
  const made = parent.appendChild(document.createElement(name));
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
};

// An address of IPv6 breaks at its colons where it does not fit.
const breakable = address => address.split(/(?<=:)/).flatMap((part, i) => i ? [document.createElement('wbr'), part] : [part]);

// A table like those of the page, in a group that keys can scroll. `rows`: lists of cells { text, address, value, title,
// bar, sure }, of which the first heads its row; those from number `words` on are numbers, with bars from 0 to 1.
const table_of = (caption, columns, rows, words = 1, heading = false) => {
  const scroll = document.createElement('div');
  for (const [key, value] of Object.entries({ class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption }))
    scroll.setAttribute(key, value);
  const table = element(scroll, 'table');
  if (heading) element(table, 'caption', {}, caption);
  const head = element(table.createTHead(), 'tr');
  columns.forEach((text, i) => element(head, 'th', { scope: 'col', ...(i < words ? {} : { class: 'n' }) }, text));
  const body = table.createTBody();
  for (const cells of rows) {
    const row = element(body, 'tr');
    cells.forEach((cell, i) => {
      const made = element(row, i ? 'td' : 'th', { ...(i ? {} : { scope: 'row' }), ...(i < words ? {} : { class: 'n' }) });
      if (cell.value !== undefined) made.dataset.v = cell.value;
      if (cell.title) made.title = cell.title;
      if (cell.bar === undefined) return made.append(...(cell.address ? breakable(cell.text) : [cell.text]));
      made.classList.add('bar');
      const box = element(made, 'div');
      element(box, 'i', { class: cell.sure === undefined ? 'volume' : '', style: `width:${(100 * cell.bar).toFixed(1)}%` });
      if (cell.sure) element(box, 'i', { style: `width:${(100 * cell.sure).toFixed(1)}%` });
      element(box, 'span', {}, cell.text);
    });
  }
  return scroll;
};

const button = (parent, name, text, run) => {
  const made = parent.appendChild(document.createElement('button'));
  made.type = 'button';
  made.className = name;
  made.append(...[].concat(text));
  made.addEventListener('click', run);
  return made;
};

// ---- Rows sorted by a column.
const value_of = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
};

// Numbers from the largest on at first, words from A on, numbers in them as numbers (ports, addresses); once more turns
// it around.
const sort_by = (table, column) => {
  table.querySelectorAll('button[aria-expanded=true]').forEach(open => open.click());
  const heads = [...table.tHead.rows[0].cells], numbers = heads[column].classList.contains('n');
  const first = numbers ? 'descending' : 'ascending', other = numbers ? 'ascending' : 'descending';
  const order = heads[column].getAttribute('aria-sort') === first ? other : first;
  const sign = order === 'ascending' ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row, i) => ({ row, i, value: value_of(row, column) }));
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
  rows.sort((a, b) => sign * compare(a.value, b.value) || a.i - b.i);
  table.tBodies[0].append(...rows.map(row => row.row));
  heads.forEach((head, i) => i === column ? head.setAttribute('aria-sort', order) : head.removeAttribute('aria-sort'));
};

const make_sortable = table => [...table.tHead.rows[0].cells].forEach((head, column) => {
  const text = [...head.childNodes];
  head.replaceChildren();
  button(head, 'sort', text, () => sort_by(table, column));
});

// ---- What a row offers: a button that opens a row below it, which `fill` makes, and closes it again.
const offer = (row, text, fill) => {
  row.dataset.name ||= row.cells[0].textContent.trim();
  let below = null;
  const open = button(row.cells[0], 'open', text, () => {
    open.setAttribute('aria-expanded', String(!below));
    if (below) { below.remove(); below = null; return; }
    below = document.createElement('tr');
    below.className = 'below';
    fill(element(element(below, 'td', { colspan: row.cells.length }), 'div'));
    row.after(below);
  });
  open.setAttribute('aria-expanded', 'false');
  open.setAttribute('aria-label', `${text} of ${row.dataset.name}`);
};

const commands_of = (table, filter) => {
  const of_page = document.querySelector('main').dataset, { sort, verdicts } = table.dataset;
  const both = of_page.filter ? `(${of_page.filter}) and ${filter}` : filter;
  const quoted = `'${both.replaceAll("'", "'\\''")}'`;
  const geo = of_page.geo && /\b(source|destination|host)_(country|city|asn|as_org)\b/.test(both) ? of_page.geo : '';
  const flows = of_page.inputs || 'FLOWS', files = flows.match(/(?:'[^']*'|\\'|[^\s'])+/g);
  const show = `warpmeter show ${flows}${geo} -f ${quoted} --sort ${sort} --top 20`;
  if (geo) return [show];  // packets are selected without databases
  return [show,
    `warpmeter packets CAPTURE ${files.map(file => '--flows ' + file).join(' ')} -f ${quoted}` +
      `${verdicts ? ` -w ${verdicts}` : ''} -o packets.pcapng`];
};

const add_command = (parent, command) => {
  const line = element(parent, 'div', { class: 'command' }), code = element(line, 'code', {}, command);
  const copy = button(line, 'copy', 'Copy', () => {
    const said = text => { copy.textContent = text; };
    getSelection().selectAllChildren(code);  // to be copied by hand where the browser refuses it
    if (navigator.clipboard) navigator.clipboard.writeText(command).then(() => said('Copied'), () => said('Selected'));
    else said('Selected');
  });
  copy.setAttribute('aria-live', 'polite');
};

// ---- The worst flows of a host: those that retransmitted most, or of a table of closed windows those that closed most.
// data.flows has them as lists of numbers: flow_list() of page.cc.
const port_of = (port, protocol) => protocol === 6 || protocol === 17 ? ':' + port : '';

const flow_cells = flow => {
  const [to, source_port, port, protocol, start_ms, lasts_ms, packets, size, segments, retransmitted, closed] = flow;
  const told = (value, text) => value === null ? { text: '–', value: 0 }
    : { text: text(value), value, title: text(value) === exact(value) ? '' : exact(value) };
  const address = to.includes(':') && port_of(port, protocol) ? `[${to}]` : to;
  return [
    { text: `${address}${port_of(port, protocol)}`, address: true, title: `${protocol_name(protocol)}, from port ${source_port}` },
    { text: clock(start_ms, 1), title: `${day(start_ms)} ${clock(start_ms, 1)}`, value: start_ms },
    told(retransmitted, count), told(segments, count),
    segments && retransmitted !== null ? { text: share_text(retransmitted / segments), value: retransmitted / segments } : { text: '–', value: 0 },
    told(closed, count), { text: duration(lasts_ms), value: lasts_ms }, told(packets, count), told(size, bytes)];
};

const worst_by = table => table.dataset.sort === 'zero_window_count' ? 'zero_window_count' : 'retransmitted_segments';
const kWorst = { retransmitted_segments: 'retransmitted segments', zero_window_count: 'windows of 0' };
const flows_of = (table, host) => data.flows?.[worst_by(table)]?.[host];

const add_flows = (parent, table, host) => {
  const { all, worst } = flows_of(table, host);
  const caption = `Flows that ${host} sent with most ${kWorst[worst_by(table)]}: ${worst.length} of ${exact(all)}`;
  const shown = table_of(caption, ['To', 'Began (UTC)', 'Retransmitted', 'Data segments', 'Share', 'Windows of 0', 'Lasted', 'Packets',
    'Traffic'], worst.map(flow_cells), 2, true);
  parent.append(shown);
  if (worst.length > 1) make_sortable(shown.querySelector('table'));
  make_tips(shown);
};

// What each row of a table offers.
const make_offers = table => {
  for (const row of table.querySelectorAll('tr[data-filter]')) {
    if (flows_of(table, row.dataset.host)) offer(row, 'Flows', below => add_flows(below, table, row.dataset.host));
    offer(row, 'Commands', below =>
      commands_of(table, row.dataset.filter).forEach(command => add_command(below, command)));
  }
};
