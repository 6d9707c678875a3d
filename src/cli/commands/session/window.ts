/** `keepsake session window`: the messages that a model is given of a session. */
import { wholeNumber } from '../../../model/number.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { requireSession } from '../../known-session.ts'
import { messagesText } from '../../session-text.ts'

const MOST = 1_000_000

export const window: Command = {
  verb: 'session window',
  operands: [{ name: 'SESSION' }],
  about: [
    'Gives the messages that a model should have before it: first what stands for the turns that were compacted, then the',
    'last exchanges, an exchange being what a user says and all that follows it. What we put into a prompt is not in it.',
  ],
  options: [{ name: 'size', value: 'N', about: 'how many exchanges; else what agent.yaml says, else 5' }],
  examples: ['keepsake session window chat-1', 'keepsake session window chat-1 --size 2 --json'],
  run,
}

async function run({ given, screen, open }: Context): Promise<Outcome> {
  const key = given.operand(0)
  const asked = given.number('size')
  const size = asked === undefined ? {} : { size: wholeNumber(asked, 'size', 0, MOST) }
  const { memory, root } = await open()
  const { timezone: zone } = await memory.store.settings()
  const { messages, archive } = await memory.session(key).window(size)
  if (messages.length === 0) await requireSession(memory, key, root)
  const text = messagesText(messages, { screen, zone })
  return {
    json: { key, messages, ...(archive === undefined ? {} : { archive }) },
    text: messages.length === 0 ? 'The window is empty.' : text,
    quietText: text,
    warnings: [],
  }
}
