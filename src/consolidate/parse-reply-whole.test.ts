/**
 * The memory that is read from a reply is the whole of it or none, however the model failed to escape it or to finish it. What no
 * reader can know is left out: a part that is a correct reply by itself, where nobody says that it was cut.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { parseReply } from './parse-reply.ts'

const H = '"history_entry": "x"'
const fence = '```'
const memory = (text: string): string => `{${H}, "memory_update": "${text}"}`

/** No memory can be told from these. */
const DOUBTFUL: readonly (readonly [string, string])[] = [
  ['a hash sign in quotes', memory('- tea\\n- Channel is "#general" on Slack\\n- vim')],
  ['the same on a line of its own', `{\n  ${H},\n  "memory_update": "- Channel is "#general" on Slack\\n- vim"\n}`],
  ['a share in quotes', memory('- Share is "//nas/media" at home\\n- vim')],
  ['braces in quotes', memory('- Templates end with "}}" here\\n- vim')],
  ['a bracket in quotes', memory('- Lists end with "]" here\\n- vim')],
  ['a brace in quotes', memory('- Blocks end with "}" here\\n- vim')],
  ['a brace in quotes, at the end', memory('- Blocks end with "}"')],
  ['a fence in quotes', memory(`- Fences are "${fence}" lines\\n- vim`)],
  ['a token in quotes', memory('- It ends with "<|im_end|>" always\\n- vim')],
  ['a comment sign in quotes', memory('- Notes are "/* so */" there\\n- vim')],
  ['an inch before a heading', memory('# Desk\n- Monitor is 27"\n# Preferences\n- tea')],
  ['an inch before another heading', `{${H}, "memory_update": "- Monitor is 27"\n\n## Preferences\n- tea"\n}`],
  ['an inch and a comma', memory('- Monitor 27", color: black\\n- vim')],
  ['an inch and a semicolon', memory('- Monitor 27"; color: black\\n- vim')],
  ['an inch, hidden in a comment', `{${H}, "memory_update": "- Monitor 27"# wide"\n}`],
  ['an inch and a long comment', `{${H}, "memory_update": "- 27"/* wide", "b */\n}`],
  ['an inch at the end of a list', `{${H}, "memory_update": ["- 27", wide", "- vim"]}`],
  ['an inch in an unclosed list', `{${H}, "memory_update": ["- 27"}`],
  ['an apostrophe', `{'history_entry': 'x', 'memory_update': '- The users' #1 wish\\n- vim'}`],
  ['an apostrophe before a comma', `{'history_entry': 'x', 'memory_update': '- The users', says: Ann\\n- vim'}`],
  ['backticks in backticks', `{${H}, "memory_update": \`- Run \`ls\` there\n- vim\`}`],
  ['curly quotes in curly quotes', `{${H}, “memory_update”: “- “tea”, he said\n- vim”}`],
  ['JSON with a brace at the end', memory('- It is {"a": "b"}\\n- vim')],
  ['its own key', memory('- tea", "memory_update": "- vim')],
  ['our form', memory('- Form: {"history_entry": "x", "memory_update": "y"}\\n- vim')],
  ['a fence in a fence', `{${H}, "memory_update": ${fence}md\n- a\n${fence}\n}\n${fence}\n- b\n${fence}\n}`],
  ['no brace at the end', `{${H}, "memory_update": "- Nick is "`],
  ['no brace at the end, behind a pair', `{${H}, "memory_update": "- Nick is "Bo"`],
  ['words behind the brace', `${memory('- tea')} is what I like"}`],
  ['an object below a label', `history_entry: x\nmemory_update: - {"memory_update": "y"} is the form\n- vim`],
  ['an object that begins a labelled text', `## Memory Update\n{"memory_update": "y"}\n- vim`],
  ['an object that ends a labelled text', 'memory_update: - The form is\n{"memory_update": "y"}'],
  [
    'an object in a labelled text, in a fence',
    `## Memory Update\n- The form:\n${fence}json\n${memory('y')}\n${fence}\n- vim`,
  ],
  ['an object in a labelled text, with both', `## Memory Update\n- The form:\n${memory('y')}\n- vim`],
  ['an object at the end of a labelled text', `## Memory Update\n- The form:\n${memory('y')}`],
  [
    'a fenced form in a text',
    `{${H}, "memory_update": "- F:\n${fence}json\n${memory('y')}\n${fence}\n- vim"}\n\nDone.`,
  ],
  [
    'the same, without its brace',
    `{${H}, "memory_update": "- F:\n${fence}json\n${memory('y')}\n${fence}\n- vim"\n\nDone.`,
  ],
  ['another tag', '<parameter name="memory_update">- a </parameter> b\n</parameter>'],
  ['its own tag', '<memory_update>- a </memory_update> b\n</memory_update>'],
  ['its own tag, at the end', '<memory_update>\n- a </memory_update>\n</memory_update>'],
  ['a tag in a tag', '<memory_update>- a <history_entry> b'],
  ['a label twice', '## Memory Update\n- a\nHistory entry: see below\n- b\n\n## History Entry\nx'],
  ['another form of label', '## Memory Update\n- a\nhistory_entry: see below\n- b'],
  ['a labelled text in quotes that has quotes', 'history_entry: x\nmemory_update: "- Nick is "Bo", vim"'],
]

/** And all of it from these. */
const CERTAIN: readonly (readonly [string, string, string])[] = [
  ['behind a history with quotes', '{"history_entry": "In "#general", yes", "memory_update": "- a"}', '- a'],
  ['behind a history without its end', '{"history_entry": "In general\n "memory_update": "- a"}', '- a'],
  ['with raw lines', memory('# T\n\n- a\tb # c // d'), '# T\n\n- a\tb # c // d'],
  ['with a comment after it', `{${H}, "memory_update": "- a" // as asked\n}`, '- a'],
  [
    'in a tag, with other tags in it',
    '<history_entry>x</history_entry>\n<memory_update>\n- Calls end with </parameter> here\n- tea\n</memory_update>',
    '- Calls end with </parameter> here\n- tea',
  ],
  [
    'with a label as the text of a bullet',
    '## Memory Update\n- a\n- History entry: see below\n\n## History Entry\nx',
    '- a\n- History entry: see below',
  ],
  ['below a label, in an object', `Memory update:\n${fence}json\n${memory('- a')}\n${fence}`, '- a'],
  ['below keys in prose', `With the keys "history_entry" and "memory_update":\n${memory('- a')}\nDone.`, '- a'],
]

const PIECES = [
  ...[
    '"',
    "'",
    '`',
    fence,
    '#',
    '//',
    '/*',
    '*/',
    '}',
    ']',
    '{',
    '[',
    ',',
    ':',
    ';',
    '27"',
    '"#general"',
    '"}}"',
    '"]"',
  ],
  ...["users'", '</parameter>', '</memory_update>', '<history_entry>', 'history_entry: x', 'History Entry:', '“tea”'],
  ...[
    '## Memory Update',
    '"k": "v"',
    ', color: black',
    'tea',
    ' ',
    '\t',
    '<|',
    '<think>',
    '"//nas"',
    "'}",
    '`}',
    '"},',
  ],
  ...['{"a": "b"}', '# H', '- b', ' and ', '"memory_update"', "', x: 'y", 'true', '8'],
]
const line = fc
  .tuple(fc.constantFrom('# ', '- '), fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }))
  .map(([mark, pieces]) => mark + pieces.join(''))
const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n').trim())

const AROUND: readonly ((made: string) => string)[] = [
  (made) => made,
  (made) => `${fence}json\n${made}\n${fence}`,
  (made) => `Here it is:\n${made}\n\nAnything else?`,
  (made) => `<think>hm</think>\n${made}`,
  (made) => `[${made}]`,
  (made) => `{"result": ${made}}`,
  (made) => `<tool_call>${made}</tool_call>`,
  (made) => `${made} Let me know (it's **all** there).`,
  (made) => `${made};<end_of_turn>`,
  (made) => `${fence}json\n${made}\n${fence}\n\n- "memory_update": kept, but for ["tea"]\n**Memory update:** whole`,
  (made) => `Facts: ["tea"].\n"memory_update": the file.\n\n${fence}json\n${made}\n${fence}\nDone.`,
  (made) => `The form is {"history_entry": "...", "memory_update": "..."}.\n\n${made}`,
]

/** Objects whose texts have their quotes unescaped. */
const unescaped = (isRaw: boolean, [open, close]: readonly [string, string], end: string, isMemoryFirst: boolean) => {
  const member = (name: string, value: string): string =>
    `"${name}": ${open}${isRaw ? value : value.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}${close}`
  return (history: string, update: string): string => {
    const both = [member('history_entry', history), member('memory_update', update)]
    return `{\n${(isMemoryFirst ? both.reverse() : both).join(',\n')}${end}`
  }
}
const objects = fc
  .tuple(
    fc.boolean(),
    fc.constantFrom(
      ['"', '"'] as const,
      ['"', '"'] as const,
      ["'", "'"] as const,
      ['“', '”'] as const,
      ['`', '`'] as const,
    ),
    fc.constantFrom('}', '\n}', ',\n}', ''),
    fc.boolean(),
  )
  .map((how) => unescaped(...how))
const FORMS: readonly ((history: string, update: string) => string)[] = [
  (h, m) => `<history_entry>\n${h}\n</history_entry>\n<memory_update>\n${m}\n</memory_update>`,
  (h, m) => `<parameter name="memory_update">${m}</parameter>\n<parameter name="history_entry">${h}</parameter>`,
  (h, m) => `## History Entry\n${h}\n\n## Memory Update\n${m}`,
  (h, m) => `**Memory Update:** ${m}\n\n**History Entry:** ${h}`,
]

const SEEMS_WHOLE = /["'`”]\s*[}\]][\s}\]`]*$|["'`”]\s*\}[ \t]*\r?\n|<\/\w+>[\s`]*$/

describe('a memory in a reply', () => {
  it.each(DOUBTFUL)('is none where its end is in doubt: %s', (_, reply) => {
    for (const wasCut of [true, false, undefined]) expect(parseReply(reply, { wasCut })?.memoryUpdate).toBeUndefined()
  })

  it.each(CERTAIN)('is whole %s', (_, reply, expected) => {
    expect(parseReply(reply, { wasCut: false })?.memoryUpdate).toBe(expected)
  })

  it('ends no history beyond a field of ours', () => {
    expect(parseReply('{"history_entry": "He said "no" and\n"memory_update": "- a "b" c')?.historyEntry).toBe(
      'He said "no" and',
    )
  })

  it('is whole or none, however it was left unescaped or unfinished', () => {
    const made = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.tuple(objects, fc.constantFrom(...AROUND)).map(
          ([o, wrap]) =>
            (h: string, m: string) =>
              wrap(o(h, m)),
        ),
      },
      fc.constantFrom(...FORMS),
    )
    const history = fc.oneof(fc.constant('x'), text)
    const cut = fc.option(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { nil: undefined })
    fc.assert(
      fc.property(made, history, text, cut, fc.boolean(), (form, h, m, part, isTold) => {
        const whole = form(h, m)
        const reply = part === undefined ? whole : whole.slice(0, Math.floor(whole.length * part))
        const isCut = part !== undefined
        fc.pre(!isCut || isTold || !SEEMS_WHOLE.test(reply))
        const found = parseReply(reply, { wasCut: isTold ? isCut : undefined })?.memoryUpdate
        expect([undefined, m]).toContain(found?.trim())
      }),
      // The same ones each time: of a hundred thousand, one may still be a reply by itself in a way not told above.
      { numRuns: isNightly ? 200_000 : 1000, seed: 7 },
    )
  })
})
