/** A reply is read in a time that grows with its length, whatever a model repeats, and wherever it begins to. */

import { expect, it } from 'vitest'
import { isNightly } from '../../test/tier.ts'
import { parseReply } from './parse-reply.ts'

const UNITS = [
  ...[
    '{',
    '"',
    '\\',
    '[',
    '<think>',
    '\n',
    '{"a":',
    '{"a":"',
    '{"arguments":"',
    '{„',
    '{/*',
    '","',
    '"history_entry":',
  ],
  ...['{\\"', '<history_entry>', 'history_entry: ', '</think>', '{"result":[', '{"history_entry":"x"}'],
  ...['"#', '"//x\n', '"}', "'", '```\n', 'memory_update:\n', '<memory_update></memory_update>', '", a: ', '/*"', ' ,'],
  ...[
    '<|channel|>x<|message|>',
    '{"history_entry":"x" ',
    '"memory_update":"',
    '#\n',
    '{history_entry:"x"}\n',
    '{"history_entry":"x"}"}',
  ],
]

/** Each opens a state. */
const PREFIXES = [
  '',
  '{"memory_update":[',
  '{"memory_update":',
  'memory_update: ',
  '<memory_update>',
  '"',
  '"memory_update":"',
]

const LENGTH = 300_000

/** All of them behind each prefix, or each behind one. */
const CASES = PREFIXES.map((prefix, n) => ({
  prefix,
  units: UNITS.filter((_, index) => isNightly || index % PREFIXES.length === n),
}))

// Work far from linear would run into the test's timeout.
it.each(CASES)('reads in one pass what is repeated behind $prefix', ({ prefix, units }) => {
  for (const unit of units) {
    const text = `${prefix}${unit.repeat(LENGTH / unit.length)}*/x`
    expect(() => parseReply(text, { wasCut: false }), unit).not.toThrow()
  }
})
