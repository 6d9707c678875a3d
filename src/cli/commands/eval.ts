/**
 * `keepsake eval`: how well recall finds. Without a file, what people expect of their own memory is checked; with files, data
 * with known answers is run through memories in RAM, so no workspace is touched; with --compare, two saved runs are compared.
 */
import { resolve } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { InvalidError, KeepsakeError } from '../../errors.ts'
import { compareRuns } from '../../eval/compare.ts'
import type { EvalSet } from '../../eval/dataset.ts'
import { hasSessions, LEVELS, type Level } from '../../eval/level.ts'
import {
  checkRecallTest,
  parseRecallTests,
  RECALL_TESTS,
  type TestedMemory,
  type TestResult,
} from '../../eval/recall-tests.ts'
import { type EvalMemory, type Run, runSet } from '../../eval/run.ts'
import { summaryOf } from '../../eval/summary.ts'
import { type MemoryOptions, openMemory } from '../../memory.ts'
import type { EmbedSource } from '../../ports/embed.ts'
import { SEARCH_MODES } from '../../recall/search-modes.ts'
import { memoryStore } from '../../stores/memory.ts'
import { usageError } from '../arguments.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { embedOf } from '../embed-of.ts'
import { warningsJson } from '../entry-json.ts'
import { readDataset, readRuns, requireNewFile, saveRuns } from '../eval-files.ts'
import { comparisonText, runsText, testsText } from '../eval-text.ts'
import { progressLine } from '../progress.ts'

const TESTS_FAILED = 1

/** Not `eval`, which is the language's own. */
export const evaluate: Command = {
  verb: 'eval',
  operands: [{ name: 'FILE', optional: true, many: true }],
  about: [
    'Tells how well recall finds. Without FILE it checks what you expect of your memory: each line of recall.tests.md in',
    'the workspace, such as "when do we deploy -> must find Deploys" or "-> must not find NAME"; the exit status is 1 when',
    'one fails. With FILEs it runs their questions, whose answers are known, in a memory of its own, and prints how many',
    'of the answers were found and how far up. docs/eval.md describes the files and the numbers.',
  ],
  options: [
    {
      name: 'level',
      value: 'LEVEL',
      about:
        'what is to be found: turn (each doc) or session (all docs of one as one text); default: both where there are sessions',
    },
    { name: 'mode', value: 'MODE', about: `how to search: ${SEARCH_MODES.join(', ')}; default lexical` },
    { name: 'save', value: 'RUNS', about: 'also write the numbers of every query to this new file' },
    { name: 'compare', about: 'take two FILEs that --save wrote, and tell whether the second is better or lucky' },
  ],
  examples: [
    'keepsake eval',
    'keepsake eval questions.jsonl --level turn --save before.json',
    'keepsake eval --compare before.json after.json',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [level, mode] = [levelAsked(given.one('level')), modeAsked(given.one('mode'))]
  if (given.has('compare')) return compared(context)
  if (given.operands.length > 0) return measured(context, level, mode)
  for (const name of ['level', 'save']) {
    if (given.has(name)) throw usageError(`--${name} goes with FILE`, 'Name a file with questions: keepsake eval FILE')
  }
  return tested(context, mode)
}

function levelAsked(text: string | undefined): Level | undefined {
  const level = LEVELS.find((known) => known === text)
  if (text === undefined || level !== undefined) return level
  throw new InvalidError('level', `"${text}" is not a level`, LEVELS.join(', '))
}

function modeAsked(text = 'lexical'): Run['mode'] {
  const mode = SEARCH_MODES.find((known) => known === text)
  if (mode !== undefined) return mode
  throw new InvalidError('mode', `"${text}" is not a mode`, SEARCH_MODES.join(', '))
}

async function tested(context: Context, mode: Run['mode']): Promise<Outcome> {
  const { memory, root } = await context.open()
  const text = await memory.store.document(RECALL_TESTS)
  if (text === undefined) throw noTests('NOT_FOUND', `there is no ${RECALL_TESTS} in ${root}`)
  const tests = parseRecallTests(text)
  if (tests.length === 0) throw noTests('INVALID', `${RECALL_TESTS} has no test`)
  const results: TestResult[] = []
  // A test may fail, or hold, only because a file can't be read: that is told too.
  const told = new Set<string>()
  const watched: TestedMemory = {
    find: (ref) => memory.find(ref),
    whyNot: (query, ref, options) => memory.whyNot(query, ref, options),
    search: async (query, options) => {
      const found = await memory.search(query, options)
      for (const warning of found.warnings) told.add(warning)
      return found
    },
  }
  if (mode !== 'lexical') {
    const progress = progressLine(context.given, 'entries')
    const onProgress = (done: number, total: number): void => progress.show('embedding', done, total)
    await memory.embed({ onProgress }).finally(() => progress.end())
  }
  for (const test of tests) results.push(await checkRecallTest(test, watched, { mode }))
  const warnings = [...told]
  const failed = results.filter(({ passed }) => !passed).length
  if (failed > 0) process.exitCode = TESTS_FAILED
  return {
    json: { tests: results, passed: results.length - failed, failed, ...warningsJson(warnings) },
    text: testsText(results, context.screen, 'all'),
    quietText: testsText(results, context.screen, 'failed'),
    warnings,
  }
}

function noTests(code: 'NOT_FOUND' | 'INVALID', message: string): KeepsakeError {
  return new KeepsakeError(code, message, {
    hint: 'Write a line a test, such as: when do we deploy -> must find Deploys. Or name data: keepsake eval FILE',
  })
}

async function measured(context: Context, level: Level | undefined, mode: Run['mode']): Promise<Outcome> {
  const { given, asked, screen } = context
  const save = given.one('save')
  const saveTo = save === undefined ? undefined : resolve(asked.cwd, save)
  if (saveTo !== undefined) requireNewFile(saveTo)
  const sets = given.operands.map((file) => readDataset(resolve(asked.cwd, file), file))
  const flat = sets.filter((set) => levelsOf(set, level).length === 0)
  if (flat.length === sets.length) throw new InvalidError('level', 'the data has no sessions', 'turn')
  const runs = await runAll(context, sets, level, mode)
  if (saveTo !== undefined) saveRuns(saveTo, runs)
  const warnings = [...flat.map(({ name }) => `${name} has no sessions and was left out`), ...oddities(runs)]
  const text = runsText(runs, screen)
  return {
    json: { runs: runs.map(summaryOf), ...warningsJson(warnings) },
    text: saveTo === undefined ? text : `${text}\n\nSaved to ${screen.path('', saveTo)}`,
    quietText: text,
    warnings,
  }
}

async function runAll(
  context: Context,
  sets: readonly EvalSet[],
  asked: Level | undefined,
  mode: Run['mode'],
): Promise<readonly Run[]> {
  const config = await configAsked(context)
  const { language } = config.values
  const source = mode === 'lexical' ? undefined : await sourceOf(config)
  const progress = progressLine(context.given, 'done')
  const runs: Run[] = []
  try {
    for (const set of sets) {
      for (const level of levelsOf(set, asked)) {
        const run = await runSet(set, {
          level,
          mode,
          openMemory: (nowMs) => openInRam(nowMs, { language, embed: source ?? 'none' }),
          clock: Date.now,
          timer: () => performance.now(),
          onProgress: (doing, done, total) => progress.show(`${set.name} ${level}, ${doing}`, done, total),
        })
        runs.push(run)
      }
    }
  } finally {
    progress.end()
    await source?.close()
  }
  return runs
}

/** The model is one for all memories, and not closed with the first of them. */
async function sourceOf(config: Config): Promise<EmbedSource | undefined> {
  const { embed } = embedOf(config, { unattended: false })
  return typeof embed === 'function' ? embed() : undefined
}

function levelsOf(set: EvalSet, asked: Level | undefined): readonly Level[] {
  const possible = hasSessions(set) ? LEVELS : (['turn'] as const)
  return possible.filter((level) => asked === undefined || level === asked)
}

function openInRam(nowMs: number, options: Pick<MemoryOptions, 'language' | 'embed'>): Promise<EvalMemory> {
  const clock = (): number => nowMs
  return openMemory({ store: memoryStore({ clock, settings: { timezone: 'UTC' } }), clock, ...options })
}

function oddities(runs: readonly Run[]): string[] {
  return runs.flatMap(({ name, level, leftOut, missing }) => [
    ...(leftOut > 0 ? [`${name} ${level}: ${leftOut} queries have no relevant doc and were left out`] : []),
    ...(missing > 0 ? [`${name} ${level}: ${missing} relevant docs are not there and count as not found`] : []),
  ])
}

async function compared({ given, asked, screen }: Context): Promise<Outcome> {
  const [first, second, ...more] = given.operands
  if (first === undefined || second === undefined || more.length > 0) {
    throw usageError('--compare takes two FILEs', 'Give it as: keepsake eval --compare before.json after.json')
  }
  for (const name of ['level', 'mode', 'save']) {
    if (given.has(name)) throw usageError(`--${name} does not go with --compare`, 'It belongs to the runs themselves.')
  }
  const [before, after] = [first, second].map((file) => readRuns(resolve(asked.cwd, file), file))
  const comparisons = compareRuns(before ?? [], after ?? [])
  const text = comparisonText(comparisons, screen)
  return { json: { comparisons }, text, quietText: text, warnings: [] }
}
