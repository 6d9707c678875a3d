/** `keepsake chat`: a conversation with a model that has this memory, on a terminal or line by line through a pipe. */
import { createAgent } from '../../agent/agent.ts'
import { configAsked } from '../asked-config.ts'
import { hostAsked, modelAsked } from '../asked-model.ts'
import type { Chat } from '../chat/chat.ts'
import { converse, type Exchange } from '../chat/converse.ts'
import { pipedLines } from '../chat/piped-lines.ts'
import { PipedTelling } from '../chat/piped-telling.ts'
import { terminalLines } from '../chat/terminal-lines.ts'
import { TerminalTelling } from '../chat/terminal-telling.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { consolidatedJson } from '../consolidated-json.ts'
import { warningsJson } from '../entry-json.ts'
import { EXIT_STATUS } from '../exit-status.ts'
import { stopSignal } from '../stop-signal.ts'
import { withoutMemory } from '../without-memory.ts'

const DEFAULT_SESSION = 'chat-1'

export const chat: Command = {
  verb: 'chat',
  operands: [],
  about: [
    'Talks with a model that has this memory: what it should know is given to it, and it can recall and remember by itself.',
    'The conversation is a session, so the next chat goes on where this one ended. Words for the chat itself begin with a',
    'slash: /new, /memory, /recall, /forget, /undo, /help, /exit. Ctrl-C stops an answer; at the prompt it ends the chat.',
    '',
    'Without a terminal each line of standard input is a message, and only the answers are on standard output; the first',
    'failure ends it. With --json all of it is one object at the end. Which model: docs/models.md. More: docs/chat.md.',
  ],
  options: [
    { name: 'session', value: 'SESSION', about: `which conversation, a new one too; default ${DEFAULT_SESSION}` },
  ],
  examples: [
    'OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.2 keepsake chat',
    'keepsake chat --session planning --agent scout',
    'echo "When do we deploy?" | keepsake chat --json',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const config = await configAsked(context)
  if (!config.enabled) throw withoutMemory(config.file ?? 'agent.yaml')
  const model = await modelAsked(context)
  const host = await hostAsked(context)
  const { memory, root } = await context.openToWrite('long')
  const { timezone: zone } = await memory.store.settings()
  const session = given.one('session') ?? DEFAULT_SESSION
  const agent = createAgent({ memory, model, session })
  const stopped = stopSignal()
  const talk = {
    context,
    memory,
    root,
    zone,
    model: model.name,
    host,
    agent,
    session,
    ...places(context, root, stopped),
  }
  const exchanges: Exchange[] = []
  try {
    await converse(talk, (exchange) => exchanges.push(exchange))
  } finally {
    talk.lines.close()
    agent.close()
  }
  if (stopped.aborted) process.exitCode = EXIT_STATUS.INTERRUPTED
  const json = { session, model: model.name, replies: exchanges.map(exchangeJson) }
  return { json, text: '', quietText: '', warnings: [] }
}

function places(
  { given, screen }: Context,
  root: string,
  stopped: AbortSignal,
): Pick<Chat, 'lines' | 'telling' | 'isTerminal'> {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && !given.has('json')
  if (!isTerminal) {
    return { isTerminal, lines: pipedLines(stdin, stopped), telling: new PipedTelling(screen, given.has('json')) }
  }
  const telling = new TerminalTelling(stdout, { screen, root }, given.has('quiet'))
  return { isTerminal, lines: terminalLines(stdin, stdout, stopped), telling }
}

function exchangeJson({ message, answer }: Exchange): object {
  const { text, warnings } = answer
  if (!('toolCalls' in answer)) return { message, text, ...warningsJson(warnings) }
  const { toolCalls, usage, condensed } = answer
  return {
    message,
    text,
    toolCalls,
    ...(usage === undefined ? {} : { usage }),
    ...(condensed === undefined ? {} : { condensed: consolidatedJson(condensed) }),
    ...warningsJson(warnings),
  }
}
