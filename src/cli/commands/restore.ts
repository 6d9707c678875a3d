/** `keepsake restore`: a workspace from a backup, as a folder or as one file; the one that is there is kept beside it. */
import { join, resolve } from 'node:path'
import { WORKSPACE_FOLDER } from '../../config/find-workspace.ts'
import { KeepsakeError } from '../../errors.ts'
import { usageError } from '../arguments.ts'
import { DRY_RUN, insist, YES } from '../ask.ts'
import { configAsked } from '../asked-config.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { warningsJson } from '../entry-json.ts'
import { rowsText } from '../entry-text.ts'
import { progressLine } from '../progress.ts'
import { offerFrom, type Restored, type RestoreOffer } from '../restore-offer.ts'
import type { Screen } from '../screen.ts'
import { shellLine } from '../shell-line.ts'

const STANDARD_INPUT = '-'

export const restore: Command = {
  verb: 'restore',
  operands: [{ name: 'FILE' }],
  about: [
    'Brings the workspace back that "keepsake backup" wrote to FILE. All of FILE is read and checked first; one that is',
    'damaged changes nothing. It comes to .keepsake in this folder; or to the place that --workspace names, or an agent.yaml',
    'here or above. A workspace that is there now is kept: it gets another name beside the new one. On a terminal it asks',
    'before that; a program says --yes. One that is another memory than that in FILE is replaced only where --workspace',
    'names it. A memory in one file comes back as one file, an archive as a folder.',
  ],
  options: [YES, DRY_RUN],
  examples: [
    'keepsake restore memory.tar.gz',
    'keepsake restore memory.tar.gz --dry-run',
    'keepsake restore memory.tar.gz --workspace ~/copy --yes',
    'keepsake restore copy.keepsake --workspace memory.keepsake',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given, asked, screen } = context
  if (given.operand(0) === STANDARD_INPUT) {
    throw usageError('an archive can not be read from standard input', 'Save it to a file first, and name that.')
  }
  // As init: what is found further up, or at home, is not what was lost here.
  const config = await configAsked(context, {}, join(asked.cwd, WORKSPACE_FOLDER))
  const progress = progressLine(given)
  try {
    const offer = await offerFrom(resolve(asked.cwd, given.operand(0)), config, progress.show)
    progress.end()
    if (given.has('dry-run')) return tried(offer, screen)
    refuseOther(offer, context)
    if (offer.replaces) {
      const place = screen.path('', offer.root)
      const other = offer.replacesOther === undefined ? '' : `, which is ${otherText(offer)}`
      await insist(context, {
        question: `Restore ${offer.what} to ${place}${other}? The workspace that is there is kept under another name.`,
        would: `this would put ${offer.what} in the place of the workspace ${place}${other}`,
        spared: 'nothing was restored',
        deed: 'restore it; the workspace that is there is kept under another name',
      })
    }
    return done(offer, await offer.restore(), screen)
  } finally {
    progress.end()
  }
}

/** `--yes` agrees to a new state of a memory, not to another memory. */
function refuseOther(offer: RestoreOffer, { given, screen }: Context): void {
  if (offer.replacesOther === undefined || given.has('workspace')) return
  const place = screen.path('', offer.root)
  throw new KeepsakeError('CONFLICT', `${place} is ${otherText(offer)}`, {
    hint: `Nothing was restored. To put it there all the same: --workspace ${shellLine([place])}. Else name another place.`,
    data: { path: offer.root },
  })
}

function otherText({ replacesOther, workspace }: RestoreOffer): string {
  return `another memory (id ${replacesOther}) than the one in the archive (id ${workspace})`
}

function tried(offer: RestoreOffer, screen: Screen): Outcome {
  const { root, counts, replaces, warnings } = offer
  const place = screen.path('', root)
  return {
    json: { workspace: root, ...counts, replaces, ...otherJson(offer), dryRun: true, ...warningsJson(warnings) },
    text: [
      `Would restore ${offer.what} to ${place}`,
      replaces ? 'The workspace that is there would be kept under another name.' : 'Nothing is there now.',
      ...(offer.replacesOther === undefined ? [] : [`It is ${otherText(offer)}; only --workspace replaces it.`]),
      'Nothing was changed.',
    ].join('\n'),
    quietText: '',
    warnings,
  }
}

function done(offer: RestoreOffer, { previous, warnings }: Restored, screen: Screen): Outcome {
  const { root: workspace, counts, change } = offer
  const [here, before] = [screen.path('', workspace), previous && screen.path('', previous)]
  const countRows = Object.entries(counts).map(([what, count]) => [what, String(count)] as const)
  const rows = rowsText([...countRows, ['change', String(change)], ['before', before]], screen)
  const all = [...offer.warnings, ...warnings]
  return {
    json: { workspace, ...counts, ...(previous === undefined ? {} : { previous }), ...warningsJson(all) },
    text: [
      `Restored ${here}`,
      ...rows,
      ...(before === undefined
        ? []
        : [`To go back: ${shellLine(['mv', here, `${here}.undone`])} && ${shellLine(['mv', before, here])}`]),
    ].join('\n'),
    quietText: '',
    warnings: all,
  }
}

function otherJson({ replacesOther }: RestoreOffer): object {
  return replacesOther === undefined ? {} : { replacesOther }
}
