/** `keepsake import`: what other programs remember, taken in as entries of ours. */
import { resolve } from 'node:path'
import { homeFolder } from '../../config/home-folder.ts'
import { parseYaml } from '../../config/parse-yaml.ts'
import { InvalidError } from '../../errors.ts'
import { FORMATS, type Format, IMPORT_FORMATS, type ImportFormat } from '../../import/formats.ts'
import type { ImportPlan } from '../../import/plan.ts'
import { instant } from '../../model/time.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN } from '../ask.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { importFiles } from '../import-files.ts'
import { importInto } from '../import-into.ts'
import { usualPlace } from '../import-place.ts'
import { importOutcome } from '../import-text.ts'

const FOLDER = 'folder'
const NAMES: readonly string[] = [...IMPORT_FORMATS, FOLDER]

export const importing: Command = {
  verb: 'import',
  operands: [{ name: 'FORMAT' }, { name: 'PATH', optional: true }],
  about: [
    'Takes in what another program remembers, as notes, facts and experiences of the agent, in one change. FORMAT says whose',
    `it is: ${NAMES.join(', ')}.`,
    'Without PATH it looks where that program keeps its memory. What was imported before is known again: of a source that',
    'has grown only the new is taken, and what was changed here stays. A name that another text has here is left to it.',
    'A folder is one that keepsake wrote. More: docs/import.md.',
  ],
  options: [DRY_RUN],
  examples: [
    'keepsake import server-memory memory.jsonl --dry-run',
    'keepsake import basic-memory ~/basic-memory',
    'keepsake import claude-code',
    'keepsake import folder old/.keepsake',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen, openToWrite } = context
  const name = given.operand(0)
  if (name === FOLDER) return folderOf(context)
  const format = formatCalled(name)
  const { memory } = await openToWrite()
  const called = given.operands[1] ?? usualPlace(format, { cwd: asked.cwd, home: homeFolder, variable })
  const path = resolve(asked.cwd, called)
  const plan = await readPlan(FORMATS[format], path, called, (await memory.store.settings()).timezone)
  if (plan.candidates.length === 0) refuseForeign(plan, format, called)
  const source = {
    format,
    // What comes by standard input has no place of its own.
    place: FORMATS[format].uniqueKeys || called === '-' ? '' : path,
    agent: memory.agent,
    now: instant(Date.now()),
  }
  const dryRun = given.has(DRY_RUN.name)
  const from = called === '-' ? 'standard input' : called
  const imported = await importInto(memory, plan, source, { dryRun })
  return importOutcome(imported, { format, program: FORMATS[format].program, from, dryRun }, screen)
}

async function folderOf(context: Context): Promise<Outcome> {
  const called = context.given.operands[1]
  if (called === undefined) throw usageError('import folder needs PATH', 'Say which: keepsake import folder PATH')
  const { takeFolder } = await import('../import-folder.ts')
  return takeFolder(context, called)
}

async function readPlan(format: Format, path: string, called: string, zone: string): Promise<ImportPlan> {
  const { files, problems } = await importFiles(format, path, called)
  const { yaml } = await parseYaml('', called)
  const read = format.read(files, { zone, yaml: (text) => yaml.parse(text, { logLevel: 'error' }) })
  return { candidates: read.candidates, problems: [...problems, ...read.problems] }
}

function formatCalled(name: string): ImportFormat {
  const format = IMPORT_FORMATS.find((known) => known === name)
  if (format) return format
  throw new InvalidError('FORMAT', `"${name}" is not a format that is known here`, NAMES.join(', '))
}

/** An empty memory is nothing to complain about; one of which nothing can be read is most likely something else. */
function refuseForeign({ problems }: ImportPlan, format: ImportFormat, called: string): void {
  const [first] = problems
  if (!first) return
  const what = `${called} holds no memory of ${FORMATS[format].program} (${first.source}: ${first.problem})`
  throw new InvalidError('PATH', what, `what ${FORMATS[format].program} wrote`)
}

/** One that is set to nothing is as good as none. */
function variable(name: string): string | undefined {
  return process.env[name] || undefined
}
