// Rows of the form "what, ours, against what, theirs, ratio, bar", as the table that `npm run bench` prints.

export function median(values) {
  return percentile(values, 0.5)
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** `bar` is what the ratio may be at most; without one it is only told. */
export function row(what, unit, ours, against, theirs, bar) {
  return { what, unit, ours, against, theirs, ratio: ours / theirs, bar }
}

export function printTable(rows) {
  const cells = rows.map(({ what, unit, ours, against, theirs, ratio, bar }) => [
    what,
    `${ours.toFixed(3)} ${unit}`,
    against,
    `${theirs.toFixed(3)} ${unit}`,
    ratio.toFixed(ratio < 0.1 ? 3 : 2),
    ...(bar === undefined ? ['', ''] : [`at most ${bar}`, ratio <= bar ? 'held' : 'MISSED']),
  ])
  printCells(['what', 'ours', 'against', 'theirs', 'ratio', 'bar', ''], cells)
}

export function printCells(head, cells) {
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column].length)))
  for (const line of [head, ...cells])
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
}
