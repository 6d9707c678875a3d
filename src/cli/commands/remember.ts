/** `keepsake remember`: keeps a text, in today's log or under a name. */
import { KIND_NAMES, parseKind } from '../../model/kinds.ts'
import type { Command, Context, Outcome } from '../command.ts'
import { labelOf } from '../entry-text.ts'
import { parseMetadata } from '../metadata-options.ts'
import { writtenOutcome } from '../outcomes.ts'
import { textOperand } from '../text-operand.ts'
import { EXPECT, SESSION, writeOptions } from '../write-options.ts'

export const remember: Command = {
  verb: 'remember',
  operands: [{ name: 'TEXT' }],
  about: [
    "Keeps TEXT. Without a name it is appended to today's log; with a name it makes that note or overwrites it.",
    'TEXT "-" is read from standard input. A fact (--kind fact) needs no name: the same text with the same metadata is one',
    'fact. With the metadata category=user_profile and field=F, a fact replaces the earlier value of that field.',
  ],
  options: [
    { name: 'name', value: 'NAME', about: 'make or overwrite the note of this name' },
    { name: 'description', value: 'LINE', mayBeEmpty: true, about: 'what it is about, in one line' },
    { name: 'kind', value: 'KIND', about: `one of ${KIND_NAMES.join(', ')}` },
    { name: 'key', value: 'KEY', about: 'set the context of this key, until the end of the day' },
    { name: 'alias', value: 'NAME', many: true, about: 'one more name for it; may be given several times' },
    { name: 'meta', value: 'K=V', many: true, about: 'metadata: k=text or k:=JSON; may be given several times' },
    { name: 'ttl', value: 'TIME', about: 'how long it is kept: 30d, 12h, 90m, 45s' },
    SESSION,
    EXPECT,
  ],
  examples: [
    'keepsake remember "Staging moved to the new rack."',
    'keepsake remember "Run make ship, then watch the graphs." --name deploys --alias releases',
    'keepsake remember "Likes short answers." --kind fact --meta about=user --meta sure:=0.9',
    'keepsake remember "Called Alex." --kind fact --meta category=user_profile --meta field=name',
    'keepsake remember "Working on the billing bug." --kind context --key task',
    'git log -5 | keepsake remember - --name "last commits" --ttl 7d',
  ],
  run,
}

async function run(context: Context): Promise<Outcome> {
  const { given } = context
  const text = await textOperand(given.operand(0))
  const [name, description, kind, key, ttl] = [
    given.one('name'),
    given.one('description'),
    given.one('kind'),
    given.one('key'),
    given.one('ttl'),
  ]
  const options = {
    ...writeOptions(given),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(kind === undefined ? {} : { kind: parseKind(kind) }),
    ...(key === undefined ? {} : { key }),
    ...(given.has('alias') ? { aliases: given.all('alias') } : {}),
    ...(given.has('meta') ? { metadata: parseMetadata(given.all('meta')) } : {}),
    ...(ttl === undefined ? {} : { ttl }),
  }
  const { memory } = await context.openToWrite()
  const written = await memory.remember(text, options)
  const { entry, replaced } = written
  const verb = replaced === undefined ? 'Remembered' : replaced === entry.revision ? 'Confirmed' : 'Rewrote'
  return writtenOutcome(context, written, `${verb} ${labelOf(entry)}`)
}
