/** `keepsake embed`: vectors for what has none yet, so that it is found by meaning. */
import { isKeepsakeError } from '../../errors.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { counted } from '../counted.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import { progressLine } from '../progress.ts'
import { Interrupted } from '../report.ts'
import { stopSignal } from '../stop-signal.ts'

export const embed: Command = {
  verb: 'embed',
  operands: [],
  about: [
    'Makes a vector of every text that has none yet, so that recall finds it by meaning. What has one is not made',
    'again: a rename embeds the new name and nothing else, a restart nothing. Interrupted, it goes on the next time where it',
    'stopped. "keepsake mcp" does this by itself, behind what it serves. The built-in model runs on this machine;',
    'docs/embeddings.md says how to install it or choose another. A Chroma server holds one set of vectors, for all who',
    'search there: where another model made them, nothing is embedded until somebody says --anew.',
  ],
  options: [{ name: 'anew', about: 'on a server: all vectors, of every agent, in place of those that are there' }],
  examples: [
    'keepsake embed',
    'keepsake embed --agent scout',
    'keepsake embed --anew --workspace postgres://db.example/team',
    'keepsake recall "what name should I use?" --mode semantic',
  ],
  run,
}

/** Of what the model does not take. */
const MOST_TOLD = 20

async function run(context: Context): Promise<Outcome> {
  const signal = stopSignal()
  // For who does not wait for the end, too.
  signal.addEventListener('abort', () => {
    process.exitCode = EXIT_STATUS.INTERRUPTED
  })
  const { memory } = await context.open()
  const progress = progressLine(context.given, 'entries')
  const embedded = await memory
    .embed({
      signal,
      mustKeep: true,
      anew: context.given.has('anew'),
      onProgress: (done, total) => progress.show('embedding', done, total),
    })
    .catch((error) => {
      // In a terminal the process of the model is interrupted too, and fails.
      if (!signal.aborted || isUnkept(error)) throw error
      throw new Interrupted('What was embedded is kept: run it again to go on.')
    })
    .finally(() => progress.end())
  const { embedded: texts, entries, pending, refused = [], isElsewhere = false, searchedBy } = embedded
  const model = searchedBy === undefined ? embedded.model : `${embedded.model}, searched by ${searchedBy}`
  const done =
    texts === 0 && pending + refused.length === 0
      ? `Nothing to embed: ${counted(entries, 'entry has its', 'entries have their')} vectors (${model}).`
      : `Embedded ${counted(texts, 'text', 'texts')}; ${counted(entries, 'entry has', 'entries have')} vectors (${model}).`
  const why = isElsewhere ? 'another process embeds them now' : 'run it again'
  const left = pending === 0 ? [] : [`${counted(pending, 'entry has', 'entries have')} none yet: ${why}.`]
  const warnings = [
    ...refused.slice(0, MOST_TOLD).map(({ id, name, reason }) => `${name ?? id} has no vector: ${reason}`),
    ...(refused.length <= MOST_TOLD ? [] : [`${refused.length - MOST_TOLD} more have none.`]),
  ]
  return { json: embedded, text: [done, ...left].join('\n'), quietText: '', warnings }
}

function isUnkept(error: unknown): boolean {
  return isKeepsakeError(error) && (error.code === 'IO' || error.code === 'READ_ONLY')
}
