'use strict';
// The numbers that the page brings, and how people read numbers and times.
const data = JSON.parse(document.getElementById('data').textContent);

const scaled = (value, step, units) => {
  let i = 0;
  for (; value >= step * 0.9995 && i + 1 < units.length; ++i) value /= step;
  const decimals = (i === 0 && Number.isInteger(value)) || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return value.toFixed(decimals).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '') + units[i];
};
const count = value => scaled(value, 1000, ['', ' k', ' M', ' G', ' T']);
const bytes = value => scaled(value, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB', ' EiB']);
const bits = value => scaled(value, 1000, [' bit/s', ' kbit/s', ' Mbit/s', ' Gbit/s', ' Tbit/s']);
const percent = value => {
  const share = 100 * value;
  if (share > 0 && share < 0.01) return '< 0.01 %';
  return scaled(share, Infinity, [' %']);
};
// In tables, as words::percent() of the program has it.
const share_text = value => {
  const share = 100 * value;
  return share > 0 && share < 0.01 ? '< 0.01 %' : share.toFixed(share === 0 || share >= 9.95 ? 0 : share >= 0.995 ? 1 : 2) + ' %';
};
const exact = value => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const two = number => String(number).padStart(2, '0');
const clock = (ms, width) => {
  const t = new Date(ms);
  const time = two(t.getUTCHours()) + ':' + two(t.getUTCMinutes());
  if (width >= 60000) return time;
  const seconds = time + ':' + two(t.getUTCSeconds());
  return width >= 1000 ? seconds : seconds + '.' + String(t.getUTCMilliseconds()).padStart(3, '0');
};
const day = ms => Number.isNaN(new Date(ms).getTime()) ? '?' : new Date(ms).toISOString().slice(0, 10);
const duration = ms => {
  if (ms < 1) return exact(ms * 1000) + ' us';
  if (ms < 1000) return exact(ms) + ' ms';
  if (ms < 60000) return scaled(ms / 1000, Infinity, [' s']);
  const seconds = Math.round(ms / 1000), minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
const protocol_name = number => ({ 1: 'ICMP', 6: 'TCP', 17: 'UDP', 58: 'ICMPv6', 132: 'SCTP' })[number] || `IP protocol ${number}`;
