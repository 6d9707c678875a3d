/** A chat from its first line to its last: each is answered before the next is read. */
import type { ProcessOptions, Reply } from '../../agent/agent.ts'
import { isKeepsakeError } from '../../errors.ts'
import type { Chat } from './chat.ts'
import { type SlashAnswer, slashCall } from './slash-words.ts'
import { statusLine } from './status-line.ts'

/** What was said, and what came of it. */
export interface Exchange {
  readonly message: string
  readonly answer: Reply | SlashAnswer
}

/** `said`: told of each exchange. */
export async function converse(chat: Chat, said: (exchange: Exchange) => void): Promise<void> {
  for (;;) {
    const line = await chat.lines.next(await promptOf(chat))
    if (line === undefined) return
    if (line.trim() === '') continue
    try {
      const answer = await answerTo(chat, line)
      if (answer === 'the end') return
      if (answer) said({ message: line.trim(), answer })
    } catch (error) {
      if (!isKeepsakeError(error)) throw error
      chat.telling.failed(error)
    }
  }
}

/** `undefined`: it was stopped. */
async function answerTo(chat: Chat, line: string): Promise<Reply | SlashAnswer | 'the end' | undefined> {
  const called = slashCall(line)
  if (called?.run === 'the end') return 'the end'
  if (called?.run === 'a new beginning') return reply(chat, (options) => chat.agent.beginAnew(options))
  if (!called) return reply(chat, (options) => chat.agent.answer(line.trim(), options))
  const answer = await called.run(chat, called.operand)
  chat.telling.say(answer.text, answer.warnings)
  return answer
}

function reply(
  { lines, telling }: Chat,
  asked: (options: ProcessOptions) => Promise<Reply>,
): Promise<Reply | undefined> {
  return lines.during(async (signal) => {
    try {
      const answer = await asked({ signal, on: (event) => telling.event(event) })
      telling.answered(answer)
      return answer
    } catch (error) {
      if (!signal.aborted) throw error
      telling.stopped()
      return undefined
    }
  })
}

async function promptOf(chat: Chat): Promise<string> {
  const { isTerminal, context } = chat
  if (!isTerminal) return ''
  const { screen, given } = context
  if (!given.has('quiet')) chat.telling.say(`\n${screen.dim(screen.line(await statusLine(chat)))}`, [])
  return screen.bold('> ')
}
