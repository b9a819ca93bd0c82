/** Cents as people write them: 1290 becomes "12.90". */
export function formatPrice(cents) {
  const sign = cents < 0 ? '-' : '';
  const value = Math.abs(cents);
  const rest = String(value % 100).padStart(2, '0');
  return `${sign}${Math.floor(value / 100)}.${rest}`;
}

/** Text cut to a width, with dots where something is missing. */
export function truncate(text, width) {
  if (text.length <= width) {
    return text;
  }
  return text.slice(0, width - 3) + '...';
}

/** Rows of equal columns, each as wide as its widest cell. */
export function formatTable(rows) {
  const widths = [];
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      widths[i] = Math.max(widths[i] ?? 0, row[i].length);
    }
  }
  const lines = [];
  for (const row of rows) {
    const cells = row.map((cell, i) => cell.padEnd(widths[i]));
    lines.push(cells.join('  ').trimEnd());
  }
  return lines.join('\n');
}
