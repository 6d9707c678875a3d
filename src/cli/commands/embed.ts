/** `keepsake embed`: vectors for what has none yet, so that it is found by meaning. */
import type { Command, Context, Outcome } from '../command.ts'
import { counted } from '../counted.ts'
import { progressLine } from '../progress.ts'

export const embed: Command = {
  verb: 'embed',
  operands: [],
  about: [
    'Makes a vector of every text that has none yet, so that recall finds it by meaning. What has one is not touched: a',
    'rename or a restart costs nothing. Interrupted, it goes on the next time where it stopped. "keepsake mcp" does this by',
    'itself, behind what it serves. The model runs on this machine; docs/embeddings.md says how to install or choose one.',
  ],
  options: [],
  examples: [
    'keepsake embed',
    'keepsake embed --agent scout',
    'keepsake recall "what name should I use?" --mode semantic',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { memory } = await context.open()
  const progress = progressLine(context.given, 'entries')
  const embedded = await memory
    .embed({ onProgress: (done, total) => progress.show('embedding', done, total) })
    .finally(() => progress.end())
  const { model, embedded: texts, entries, pending } = embedded
  const done =
    texts === 0
      ? `Nothing to embed: ${counted(entries, 'entry has its', 'entries have their')} vectors (${model}).`
      : `Embedded ${counted(texts, 'text', 'texts')}; ${counted(entries, 'entry has', 'entries have')} vectors (${model}).`
  const left =
    pending === 0 ? [] : [`${counted(pending, 'entry has', 'entries have')} none yet: another process embeds them now.`]
  return { json: embedded, text: [done, ...left].join('\n'), quietText: '', warnings: [] }
}
