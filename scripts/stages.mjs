// Runs the tests in stages. Each stage has a budget of CPU seconds, including child processes that have exited, and fails when it needs
// more. It counts CPU time because a busy machine makes a test slower, not more expensive. Prints the time of every stage at the end.
//   node scripts/stages.mjs unit|test|ci|nightly [STAGE …]
// Exit 0 when every stage passed within its budget, 1 when one did not, 2 for a wrong argument.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A project of vitest.config.ts. */
const project = (name, budgetSeconds) => ({ name, command: `npx vitest run --project ${name}`, budgetSeconds })

const UNIT = project('unit', 65)

export const STAGES = {
  unit: [UNIT],
  // At most 350 together.
  test: [
    { name: 'build', command: 'npm run --silent build', budgetSeconds: 15 },
    { name: 'check', command: 'npm run --silent check', budgetSeconds: 35 },
    UNIT,
    project('integration', 195),
    project('smoke', 40),
  ],
  // `.ci/run` runs `npm test` first; both together stay under 2,600.
  ci: [
    { name: 'package', command: 'npm run --silent check:package && npm run --silent check:unused', budgetSeconds: 30 },
    project('cli', 280),
    project('processes', 230),
    project('faults', 600),
    project('chroma', 50),
    project('postgres', 200),
    { name: 'other-nodes', command: 'node scripts/other-nodes.mjs', budgetSeconds: 120 },
    project('page', 120),
    project('model', 200),
  ],
  // Every test at its large size, and whatever takes hours. No budgets; blocks nothing.
  nightly: [
    { name: 'build', command: 'npm run --silent build' },
    { name: 'tests', command: 'npx vitest run' },
    { name: 'torture', command: 'node test/faults/torture.mjs' },
    { name: 'soak', command: 'node test/faults/embedding-soak.mjs' },
    { name: 'bench', command: 'node bench/run.mjs' },
  ],
}

async function main([tier = '', ...names]) {
  const known = Object.hasOwn(STAGES, tier)
    ? STAGES[tier]
    : fail(`unknown tier "${tier}"; use one of ${Object.keys(STAGES).join(', ')}`)
  const unknown = names.find((name) => !known.some((stage) => stage.name === name))
  if (unknown !== undefined) fail(`${tier} has no stage "${unknown}", only ${known.map(({ name }) => name).join(', ')}`)

  const results = []
  for (const stage of known.filter(({ name }) => names.length === 0 || names.includes(name))) {
    console.log(`\n── ${tier}: ${stage.name}`)
    const result = await runStage(stage, tier)
    results.push(result)
    if (result.problem !== undefined) console.error(`${stage.name}: ${result.problem}`)
    // Without a build, every later stage would fail for the same reason. After an interrupt, none is wanted.
    if ((stage.name === 'build' && result.status !== 0) || SIGNALS.includes(result.status)) break
  }
  printResults(tier, results)
  process.exitCode = results.some(({ problem }) => problem !== undefined) ? 1 : 0
}

function fail(message) {
  console.error(message)
  process.exit(2)
}

/** Runs one stage. `problem` says why it failed. */
export async function runStage({ name, command, budgetSeconds }, tier) {
  // `.ci/run` installs everything that tests need, so there a test may be skipped only for a reason it gives at run time.
  const mayNotSkip = process.env.KEEPSAKE_NO_SKIPS === '1'
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-stage-'))
  const countsFile = join(folder, 'counts')
  const started = performance.now()
  try {
    const { status, cpu } = await runShell(command, { KEEPSAKE_COUNTS: countsFile, KEEPSAKE_TESTS: tier })
    const counts = readCounts(countsFile)
    const problem =
      status !== 0
        ? `failed with ${status}`
        : budgetSeconds !== undefined && cpu > budgetSeconds
          ? `took ${cpu.toFixed(1)} s of CPU time, more than its ${budgetSeconds} s`
          : mayNotSkip && counts.unexplainedSkips > 0
            ? `skipped ${counts.unexplainedSkips} tests, though CI installs everything they need`
            : undefined
    return { name, status, budgetSeconds, cpu, wall: (performance.now() - started) / 1000, counts, problem }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The shell's `times` reports the CPU time of every descendant that was waited for; Node has no equivalent. */
function runShell(command, env) {
  // A background process must not keep the pipe open.
  const script = `(${command}) 3>&-; status=$?; times >&3; exit $status`
  const child = spawn('sh', ['-c', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    detached: true,
  })
  // A stage that is interrupted, or whose shell dies, leaves no process behind.
  const stop = (signal) => {
    try {
      process.kill(-child.pid, signal)
    } catch {} // they have all ended
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  let times = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => (times += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (_, signal) => signal !== null && stop('SIGKILL'))
    child.on('close', (code, signal) =>
      resolve({ status: code ?? signal, cpu: signal === null ? childSeconds(times) : Number.NaN }),
    )
  }).finally(() => {
    for (const signal of SIGNALS) process.off(signal, stop)
  })
}

/** The second line is the children's: `0m1.50s 0m0.25s`, user and system. */
function childSeconds(times) {
  const [, children = ''] = times.trim().split('\n')
  const found = [...children.matchAll(/(\d+)m(\d+[.,]\d+)s/g)]
  if (found.length !== 2) throw new Error(`can't read the CPU times in "${times}"`)
  return found.reduce((sum, [, min, sec]) => sum + 60 * Number(min) + Number(sec.replace(',', '.')), 0)
}

/** What test/counts-reporter.ts wrote, where the stage ran tests. */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return { passed: 0, failed: 0, skipped: 0, unexplainedSkips: 0 }
    throw error
  }
}

function printResults(tier, results) {
  const sum = (value) => results.reduce((total, result) => total + value(result), 0)
  const total = {
    name: 'all',
    budgetSeconds: sum(({ budgetSeconds }) => budgetSeconds ?? 0) || undefined,
    cpu: sum(({ cpu }) => cpu),
    wall: sum(({ wall }) => wall),
  }
  console.log(`\n${tier.padEnd(14)}    wall      CPU   budget`)
  for (const { name, wall, cpu, budgetSeconds, problem } of [...results, total]) {
    const cells = [wall, cpu].map((seconds) => (Number.isNaN(seconds) ? '?' : `${seconds.toFixed(1)} s`).padStart(9))
    console.log(
      `${name.padEnd(12)}${cells.join('')}${(budgetSeconds === undefined ? '' : `${budgetSeconds} s`).padStart(9)}${problem === undefined ? '' : `  ${problem}`}`,
    )
  }
  const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((key) => sum(({ counts }) => counts[key]))
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
