/** `keepsake learn`: writes a topic that every agent sees; without a text, reads it. */
import { NotFoundError } from '../../errors.ts'
import type { Memory } from '../../memory.ts'
import { type Entry, WORLD } from '../../model/entry.ts'
import { findByRef } from '../../model/find.ts'
import { normalizeName } from '../../model/name.ts'
import { oneQuestion } from '../../model/one-question.ts'
import { usageError } from '../arguments.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { labelOf } from '../entry-text.ts'
import { readOutcome, writtenOutcome } from '../outcomes.ts'
import { textOperand } from '../text-operand.ts'
import { EXPECT, SESSION, writeOptions } from '../write-options.ts'

export const learn: Command = {
  verb: 'learn',
  operands: [{ name: 'TOPIC' }, { name: 'TEXT', optional: true }],
  about: [
    'Writes what is known about TOPIC, for every agent to see; what was there before is replaced. Without TEXT it',
    'shows the topic. TEXT "-" is read from standard input.',
  ],
  options: [EXPECT, SESSION],
  examples: [
    'keepsake learn "Staging server" "Its name is heron; it restarts at 04:00."',
    'keepsake learn "staging server"',
    'keepsake learn "Staging server" - --expect 3f2a90c41b7d5e68 < heron.md',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [topic, operand] = [given.operand(0), given.operands[1]]
  const options = writeOptions(given)
  if (operand === undefined) {
    if (given.has('expect') || given.has('session')) {
      throw usageError('learn without TEXT only reads; --expect and --session belong to writing', 'Give the text too.')
    }
    const { memory } = await context.open()
    return readOutcome(context, await topicCalled(memory, topic))
  }
  const text = await textOperand(operand)
  const { memory } = await context.openToWrite()
  const written = await memory.learnFact(topic, text, options)
  const label = labelOf(written.entry)
  return writtenOutcome(context, written, written.replaced === undefined ? `Learned ${label}` : `Rewrote ${label}`)
}

/** In the world only: a note of the agent's own with this name is not what was asked for. */
async function topicCalled({ store }: Memory, topic: string): Promise<Entry> {
  const call = oneQuestion({})
  const exact = await store.resolve(WORLD, normalizeName(topic, 'topic'), call)
  if (exact) return exact
  const found = findByRef(topic, await store.heads({ scopes: [WORLD], kinds: ['topic'] }, call), WORLD)
  const entry = found.id === undefined ? undefined : await store.get(found.id, call)
  if (!entry) throw new NotFoundError(topic, found.near)
  return entry
}
