/** `keepsake session append`: one turn more. */

import { InvalidError } from '../../../errors.ts'
import { ROLES, type Role } from '../../../session/records.ts'
import { usageError } from '../../arguments.ts'
import type { Command, Context, Outcome } from '../../command.ts'
import { entryJson, warningsJson } from '../../entry-json.ts'
import { rowsText } from '../../entry-text.ts'
import { parseMetadata } from '../../metadata-options.ts'
import { turnsPhrase } from '../../session-text.ts'
import { textOperand } from '../../text-operand.ts'

export const append: Command = {
  verb: 'session append',
  operands: [{ name: 'SESSION' }, { name: 'TEXT' }],
  about: [
    'Adds a turn to a session, and makes the session where there is none of this key. A key may have any characters.',
    'TEXT "-" is read from standard input. Turns that slide out of the window are remembered as kind "conversation".',
  ],
  options: [
    { name: 'role', value: ROLES.join('|'), about: 'who said it; needed' },
    { name: 'tool', value: 'NAME', many: true, about: 'a tool that was used in it; may be given several times' },
    { name: 'at', value: 'TIME', about: 'when it was said, such as 2026-11-15T14:00:00Z; else now' },
    { name: 'meta', value: 'K=V', many: true, about: 'metadata: k=text or k:=JSON; may be given several times' },
  ],
  examples: [
    'keepsake session append chat-1 --role user "We moved to Postgres 17."',
    'keepsake session append chat-1 --role assistant "Noted." --tool remember',
    'cat answer.md | keepsake session append chat-1 --role assistant -',
  ],
  run,
}

/** That are told whole: the first append after an import lets hundreds of turns slide out. */
const MOST_SLID = 20

async function run({ given, screen, openToWrite }: Context): Promise<Outcome> {
  const key = given.operand(0)
  const role = parseRole(given.one('role'))
  const at = given.one('at')
  const metadata = parseMetadata(given.all('meta'))
  const content = await textOperand(given.operand(1))
  const { memory, root } = await openToWrite()
  const { turns, slid, warnings } = await memory.session(key).append({
    role,
    content,
    ...(at === undefined ? {} : { at }),
    ...(given.has('tool') ? { tools: given.all('tool') } : {}),
    ...(given.has('meta') ? { metadata } : {}),
  })
  const paths = [...new Set(slid.flatMap(({ path }) => (path === undefined ? [] : [screen.path(root, path)])))]
  const rows = rowsText(
    [
      ['turn', turns.map(({ id }) => id).join(', ')],
      ['slid out', slid.length === 0 ? undefined : `${turnsPhrase(slid.length)}, remembered as conversation`],
      ['file', paths.join(', ') || undefined],
    ],
    screen,
  )
  return {
    json: {
      key,
      turns,
      slid: slid.slice(0, MOST_SLID).map(entryJson),
      slidCount: slid.length,
      ...warningsJson(warnings),
    },
    text: [screen.line(`Appended ${aTurn(role)} to session "${key}"`), ...rows].join('\n'),
    quietText: '',
    warnings,
  }
}

const NAMES: Readonly<Record<Role, string>> = {
  user: "a user's turn",
  assistant: "an assistant's turn",
  tool: "a tool's turn",
  system: "a system's turn",
}

function aTurn(role: Role): string {
  return NAMES[role]
}

function parseRole(text: string | undefined): Role {
  if (text === undefined) throw usageError('session append needs --role', `Give it as: --role ${ROLES.join('|')}`)
  const role = ROLES.find((known) => known === text)
  if (!role) throw new InvalidError('role', `"${text}" is not a role`, ROLES.join(', '))
  return role
}
