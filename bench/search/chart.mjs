// `node bench/search/chart.mjs`: docs/images/search-bench.svg from what the last full `npm run bench` has kept. It
// loads nothing, uses the reader's own font, and follows the reader's choice of light or dark.
import fs from 'node:fs'
import { LABELS } from './report.mjs'

const FROM = new URL('../results/search-100000.json', import.meta.url)
const TO = new URL('../../docs/images/search-bench.svg', import.meta.url)

const WIDTH = 720
const NAMES_END = 96
const PANEL = 208
const BAR_LENGTH = 130
const ROW = 24
const TOP = 46

const PANELS = [
  { title: 'query of three words', value: ({ query }) => query[3].p50 },
  { title: 'load until the first answer', value: ({ load }) => load.p50 },
  { title: 'replace one, until found', value: ({ replace }) => replace.p50 },
]

fs.mkdirSync(new URL('.', TO), { recursive: true })
fs.writeFileSync(TO, chart(JSON.parse(fs.readFileSync(FROM, 'utf8'))))

function chart({ count, engines }) {
  const names = Object.keys(engines)
  const height = TOP + names.length * ROW + 30
  const passages = `${count.toLocaleString('en')} passages of Debian’s documentation`
  const note = `median milliseconds of CPU, ${passages}; shorter is better`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Search engines, ${note}">
<style>
text{font:12px system-ui,sans-serif;fill:#1f2328}
.title,.ours{font-weight:600}
.bar{fill:#8c959f}
.bar.ours{fill:#1a7f5a}
.note{fill:#59636e}
.name{text-anchor:end}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#6e7681}.bar.ours{fill:#3fb68b}.note{fill:#9198a1}}
</style>
${names.map(nameOf).join('\n')}
${PANELS.map((panel, column) => panelOf(panel, column, engines)).join('\n')}
<text class="note" x="${NAMES_END + 10}" y="${height - 8}">${note}</text>
</svg>
`
}

function nameOf(name, row) {
  return `<text class="name ${classOf(name)}" x="${NAMES_END}" y="${TOP + row * ROW + 12}">${LABELS[name]}</text>`
}

/** Each panel has a scale of its own, from 0 to its longest. */
function panelOf({ title, value }, column, engines) {
  const left = NAMES_END + 10 + column * PANEL
  const longest = Math.max(...Object.values(engines).map(value))
  const bars = Object.entries(engines).flatMap(([name, engine], row) => {
    const width = Math.max(1, Math.round((value(engine) / longest) * BAR_LENGTH))
    const y = TOP + row * ROW
    return [
      `<rect class="bar ${classOf(name)}" x="${left}" y="${y}" width="${width}" height="16" rx="2"/>`,
      `<text class="${classOf(name)}" x="${left + width + 5}" y="${y + 12}">${number(value(engine))}</text>`,
    ]
  })
  return [`<text class="title" x="${left}" y="${TOP - 16}">${title}</text>`, ...bars].join('\n')
}

function classOf(name) {
  return name === 'keepsake' ? 'ours' : 'peer'
}

function number(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return Number(value.toPrecision(2)).toString()
}
