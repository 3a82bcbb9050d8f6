'use strict';
// Tables: their rows sorted, and commands for what a row is about.
const value_of = (row, column) => {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
};

// Numbers from the largest on at first, words from A on; once more turns it around.
const sort_by = (table, column) => {
  table.querySelectorAll('tr.commands').forEach(row => row.previousElementSibling.querySelector('button').click());
  const heads = [...table.tHead.rows[0].cells], numbers = heads[column].classList.contains('n');
  const first = numbers ? 'descending' : 'ascending', other = numbers ? 'ascending' : 'descending';
  const order = heads[column].getAttribute('aria-sort') === first ? other : first;
  const sign = order === 'ascending' ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row, i) => ({ row, i, value: value_of(row, column) }));
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  rows.sort((a, b) => sign * compare(a.value, b.value) || a.i - b.i);
  table.tBodies[0].append(...rows.map(row => row.row));
  heads.forEach((head, i) => i === column ? head.setAttribute('aria-sort', order) : head.removeAttribute('aria-sort'));
};

const button = (parent, name, text, run) => {
  const element = parent.appendChild(document.createElement('button'));
  element.type = 'button';
  element.className = name;
  element.append(...[].concat(text));
  element.addEventListener('click', run);
  return element;
};

const make_sortable = table => [...table.tHead.rows[0].cells].forEach((head, column) => {
  const text = [...head.childNodes];
  head.replaceChildren();
  button(head, 'sort', text, () => sort_by(table, column));
});

const commands_of = (table, filter) => {
  const of_page = document.querySelector('main').dataset, { sort, verdicts } = table.dataset;
  const both = of_page.filter ? `(${of_page.filter}) and ${filter}` : filter;
  const quoted = `'${both.replaceAll("'", "'\\''")}'`;
  const flows = of_page.inputs || 'FLOWS', files = flows.match(/(?:'[^']*'|\\'|[^\s'])+/g);
  return [`warpmeter show ${flows} -f ${quoted} --sort ${sort} --top 20`,
    `warpmeter packets CAPTURE ${files.map(file => '--flows ' + file).join(' ')} -f ${quoted}` +
      `${verdicts ? ` -w ${verdicts}` : ''} -o packets.pcapng`];
};

const add_command = (parent, command) => {
  const line = parent.appendChild(document.createElement('div'));
  const code = line.appendChild(document.createElement('code'));
  code.textContent = command;
  const copy = button(line, 'copy', 'Copy', () => {
    const said = text => { copy.textContent = text; };
    getSelection().selectAllChildren(code);  // to be copied by hand where the browser refuses it
    if (navigator.clipboard) navigator.clipboard.writeText(command).then(() => said('Copied'), () => said('Selected'));
    else said('Selected');
  });
  copy.setAttribute('aria-live', 'polite');
};

const offer_commands = (table, row) => {
  const open = button(row.cells[0], 'open', 'Commands', () => {
    const shown = open.getAttribute('aria-expanded') === 'true';
    open.setAttribute('aria-expanded', String(!shown));
    if (shown) { row.nextElementSibling.remove(); return; }
    const below = document.createElement('tr'), cell = below.appendChild(document.createElement('td'));
    below.className = 'commands';
    cell.colSpan = row.cells.length;
    commands_of(table, row.dataset.filter).forEach(command => add_command(cell, command));
    row.after(below);
  });
  open.setAttribute('aria-expanded', 'false');
};
