/** Reading a reply takes time in proportion to its length, whatever a model repeats, and wherever it begins to. */
import { expect, it } from 'vitest'
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

const LENGTH = process.env['KEEPSAKE_FAULTS'] === 'full' ? 200_000 : 50_000

function timeOf(prefix: string, unit: string, length: number): number {
  const text = `${prefix}${unit.repeat(length / unit.length)}*/x`
  const { user } = process.cpuUsage()
  parseReply(text, { wasCut: false })
  return (process.cpuUsage().user - user) / 1000
}

it.each(PREFIXES)('takes its share of time for what is repeated behind %j', { retry: 3, timeout: 60_000 }, (prefix) => {
  for (const unit of UNITS) {
    const time = timeOf(prefix, unit, LENGTH)
    // The square would be four times. Below a tenth of a second the clock and the others say more than the code.
    if (time > 100) expect(time, unit).toBeLessThan(3 * timeOf(prefix, unit, LENGTH / 2))
  }
})
