// Rows of the form "what, ours, against what, theirs, ratio, bar", as the table that `npm run bench` prints.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

export function row(what, unit, ours, against, theirs, bar) {
  return { what, unit, ours, against, theirs, ratio: ours / theirs, bar }
}

export function printTable(rows) {
  const cells = rows.map(({ what, unit, ours, against, theirs, ratio, bar }) => [
    what,
    `${ours.toFixed(3)} ${unit}`,
    against,
    `${theirs.toFixed(3)} ${unit}`,
    ratio.toFixed(2),
    `at most ${bar}`,
    ratio <= bar ? 'held' : 'MISSED',
  ])
  const head = ['what', 'ours', 'against', 'theirs', 'ratio', 'bar', '']
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column].length)))
  for (const line of [head, ...cells])
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
}
