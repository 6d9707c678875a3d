// What all-MiniLM-L6-v2 costs on this machine, by which docs/decisions/0019 was decided: `npm run build && node scripts/measure-minilm.mjs`.
// Each row is a process of its own. CPU time, because the machine may have other work; the wall clock only where threads are compared.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const MINILM = join(ROOT, 'dist/embed/minilm')
const WORD = 'heron '
const BATCHES = [1, 4, 8, 16, 32]
const WORDS = [20, 100, 254]
const SESSIONS = {
  'as it is': {},
  'no optimising': { graphOptimizationLevel: 'disabled' },
  'no memory pattern': { enableMemPattern: false },
  'no arena': { enableCpuMemArena: false },
}

const asked = process.argv[2]
if (asked === undefined) compare()
else await measure(JSON.parse(asked))

function compare() {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'keepsake-measure-'))
  const row = (asked) =>
    JSON.parse(execFileSync(process.execPath, [import.meta.filename, JSON.stringify(asked)], { encoding: 'utf8' }))
  try {
    print('start: CPU ms, resident MB after, at most', [
      ['graph built', row({ kind: 'native' })],
      ['graph built and kept', row({ kind: 'native', cacheFolder })],
      ['graph read', row({ kind: 'native', cacheFolder })],
      ['WASM', row({ kind: 'wasm' })],
    ])
    print('a session of the kept graph: CPU ms to open, CPU ms for 8 texts of 100 words, resident MB after', [
      ...Object.entries(SESSIONS).map(([name, session]) => [name, row({ session, cacheFolder })]),
    ])
    for (const [kind, threads] of [
      ['native', 1],
      ['native', 2],
      ['wasm', 1],
    ]) {
      const sizes = kind === 'wasm' ? [1] : BATCHES
      const rows = sizes.map((size) => [`${size} texts`, row({ kind, threads, cacheFolder, size })])
      const unit = `${WORDS.join(', ')} words`
      print(`${kind}, ${threads} thread(s), a text: CPU ms of ${unit}; wall ms of the same; resident MB at most`, rows)
    }
  } finally {
    rmSync(cacheFolder, { recursive: true })
  }
}

function print(title, rows) {
  console.log(`\n${title}`)
  for (const [name, numbers] of rows) {
    console.log(
      `  ${name.padEnd(24)}${numbers.map((number) => String(Math.round(number * 10) / 10).padStart(9)).join('')}`,
    )
  }
}

async function measure({ kind, threads = 1, cacheFolder, size, session }) {
  const { findPackages } = await import(join(MINILM, 'model-files.js'))
  const { openEngine } = await import(join(MINILM, 'open-engine.js'))
  const packages = findPackages([ROOT])
  if (session) return console.log(JSON.stringify(await measureSession(session, packages, cacheFolder)))
  const cpu = cpuMs()
  const engine = await openEngine({ packages, cacheFolder, kind, threads })
  const opened = cpuMs() - cpu
  if (size === undefined) return console.log(JSON.stringify([opened, residentMb(), mostMb()]))
  const each = []
  for (const words of WORDS) each.push(await perText(() => engine.run(Array(size).fill(WORD.repeat(words))), size))
  console.log(JSON.stringify([...each.map(({ cpu }) => cpu), ...each.map(({ wall }) => wall), mostMb()]))
}

async function measureSession(options, packages, cacheFolder) {
  const { default: runtime } = await import('onnxruntime-node')
  const { loadGraph } = await import(join(MINILM, 'graph-file.js'))
  const { openTokenizer } = await import(join(MINILM, 'tokenizer.js'))
  const graph = loadGraph(packages, cacheFolder)
  const cpu = cpuMs()
  const session = await runtime.InferenceSession.create(graph, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    ...options,
  })
  const opened = cpuMs() - cpu
  const tokens = openTokenizer(packages)(WORD.repeat(100))
  const tensor = (numbers) => new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), [8, tokens.length])
  const all = Array(8).fill(tokens).flat()
  const inputs = { tokens: tensor(all), mask: tensor(all.map(() => 1)) }
  const ran = await perText(() => session.run(inputs), 1)
  return [opened, ran.cpu, residentMb()]
}

/** The best of several, after one to warm up. */
async function perText(run, size) {
  const results = []
  for (let i = 0; i < 5; i++) {
    const [cpu, wall] = [cpuMs(), performance.now()]
    await run()
    results.push({ cpu: (cpuMs() - cpu) / size, wall: (performance.now() - wall) / size })
  }
  return results.slice(1).sort((a, b) => a.cpu - b.cpu)[0]
}

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function residentMb() {
  return process.memoryUsage().rss / 1e6
}

function mostMb() {
  return (process.resourceUsage().maxRSS * 1024) / 1e6
}
