/** `keepsake reflect`: rewrites the agent's MEMORY.md; without a text, reads it. */
import { usageError } from '../arguments.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { noMemoryText } from '../no-memory-text.ts'
import { readOutcome, writtenOutcome } from '../outcomes.ts'
import { textOperand } from '../text-operand.ts'
import { EXPECT, SESSION, writeOptions } from '../write-options.ts'

export const reflect: Command = {
  verb: 'reflect',
  operands: [{ name: 'TEXT', optional: true }],
  about: [
    "Rewrites the agent's MEMORY.md: the page that it always has before it. The old text is replaced as a whole, so",
    'read it first; --expect with the revision you read keeps you from overwriting what another wrote meanwhile.',
    'Without TEXT it shows the page. TEXT "-" is read from standard input.',
  ],
  options: [EXPECT, SESSION, { name: 'erase', about: 'empty the page' }],
  examples: [
    'keepsake reflect',
    'keepsake reflect "Prefers small steps. Asks before deleting."',
    'keepsake reflect - --expect 3f2a90c41b7d5e68 < MEMORY.md',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const [operand] = given.operands
  const [options, erase] = [writeOptions(given), given.has('erase')]
  if (operand === undefined && !erase) {
    if (given.has('expect') || given.has('session')) {
      throw usageError(
        'reflect without TEXT only reads; --expect and --session belong to writing',
        'Give the text too.',
      )
    }
    return readMemory(context)
  }
  const text = operand === undefined ? '' : await textOperand(operand)
  if (erase && text.trim() !== '')
    throw usageError('--erase and a text contradict each other', 'Leave one of them out.')
  const { memory } = await context.openToWrite()
  const written = await memory.reflect(text, { ...options, erase })
  const verb = erase ? 'Emptied' : written.replaced === undefined ? 'Wrote' : 'Rewrote'
  return writtenOutcome(context, written, `${verb} the memory of ${memory.agent}`)
}

async function readMemory(context: Context): Promise<Outcome> {
  const opened = await context.open()
  const { memory } = opened
  const entry = await memory.get('MEMORY')
  if (entry) return readOutcome(context, entry)
  return {
    json: { entry: null },
    text:
      noMemoryText(opened, context.screen) ??
      `The memory of ${memory.agent} is still empty. Write it with: keepsake reflect TEXT`,
    quietText: '',
    warnings: [],
  }
}
