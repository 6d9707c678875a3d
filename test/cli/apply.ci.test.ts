/** `keepsake apply`: what it takes, what it tells, and that an error names the line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk } from './keepsake.ts'

const desk = new Desk()
const NO_REVISION = '0123456789abcdef'

beforeAll(async () => {
  sitDownAt(desk)
  await jsonHere(['init'])
  await jsonHere(['remember', 'blue, then green', '--name', 'Deploys', '--alias', 'releases'])
})

function write(name: string, ...lines: readonly (string | object)[]): string {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  writeFileSync(join(desk.folder, name), text)
  return name
}

describe('keepsake apply', () => {
  it('applies a batch from standard input, as a process, and says how to take it back', async () => {
    const list = [
      { op: 'add', kind: 'note', name: 'Shipping', content: 'by train' },
      { op: 'alias', ref: 'Shipping', alias: 'releases', mode: 'take' },
    ]
    const { status, stdout, stderr } = await desk.run(['apply', '-'], { input: JSON.stringify(list, null, 2) })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toBe(
      [
        'Applied 2 operations',
        '  the note "Shipping": added',
        '  the note "Deploys": gave up the alias "releases"',
        '  the note "Shipping": got the alias "releases"',
        'That is change 2. To take it back: keepsake undo 2',
        '',
      ].join('\n'),
    )
    expect(await jsonHere(['undo'])).toMatchObject({ undone: [2] })
  })

  it('reads a line each, blank ones apart, and answers with entries and change', async () => {
    const file = write(
      'ops.jsonl',
      { op: 'add', kind: 'fact', name: 'Colour', content: 'green' },
      '',
      { op: 'rename', ref: 'Colour', name: 'Colours' },
      '',
    )
    const tried = await jsonHere(['apply', file, '--dry-run'])
    expect(tried).toMatchObject({ status: 0, dryRun: true, entries: [{ name: 'Colours', aliases: ['Colour'] }] })
    expect(tried.change).toBeUndefined()
    expect(await jsonHere(['show', 'Colours'])).toMatchObject({ status: 3 })
    const done = await jsonHere(['apply', file])
    expect(Object.keys(done)).toEqual(['entries', 'change', 'status'])
    expect(done.change).toMatchObject({
      origin: { by: 'agent', agent: 'main' },
      operations: [{ op: 'add' }, { op: 'rename' }],
    })
    expect(await jsonHere(['show', 'Colour'])).toMatchObject({ entry: { name: 'Colours', content: 'green' } })
  })

  it('names the line of what is wrong, and does nothing', async () => {
    const good = { op: 'add', kind: 'note', name: 'N', content: 'x' }
    const rows: readonly (readonly [file: string, status: number, says: RegExp])[] = [
      [write('a', good, '', '{"op":'), 2, /^line 3: is not JSON: /],
      [write('b', good, '', { op: 'remove', ref: 'Nobody' }), 3, /^b, line 3: nothing here is called "Nobody"$/],
      [write('c', '', { op: 'add', kind: 'note', content: '' }), 2, /^c, line 2: content: is empty$/],
      [write('d', '[', good, ',', good, ']'), 4, /^d, operation 2: "N" already belongs to the note "N"$/],
      [
        write('g', { op: 'add', kind: 'note', content: 'x', scope: 'world' }),
        2,
        /^g, line 1: scope: "world" is the shared scope$/,
      ],
      [write('e', '7'), 2, /^e, line 1: operation: 7 is no object$/],
      [write('f', '[1'), 2, /^operations: is not JSON: /],
      ['nowhere', 3, /^there is no file nowhere$/],
      ['.', 2, /^FILE: \. is a folder$/],
    ]
    const before = desk.hash()
    for (const [file, status, says] of rows) {
      const printed = await jsonHere(['apply', file])
      expect([file, printed.status]).toEqual([file, status])
      expect(printed.error.message).toMatch(says)
      expect(printed.error.hint).not.toBe('')
    }
    expect(desk.hash()).toBe(before)
  })

  it('compares and swaps by name', async () => {
    const file = write('swap', { op: 'write', ref: 'Deploys', content: 'green, then blue' })
    const { entry } = await jsonHere(['show', 'Deploys'])
    expect(await jsonHere(['apply', file, '--expect', `Deploys=${NO_REVISION}`])).toMatchObject({
      status: 4,
      // No line of the file says it.
      error: { code: 'CONFLICT', message: `${entry.id} is at revision ${entry.revision}, not ${NO_REVISION}` },
    })
    expect(await jsonHere(['apply', file, '--expect', 'Deploys=new'])).toMatchObject({ status: 4 })
    expect(await jsonHere(['apply', file, '--expect', 'Deploys'])).toMatchObject({ status: 2 })
    expect(
      await jsonHere(['apply', file, '--expect', `releases=${entry.revision}`, '--expect', 'a=b=new']),
    ).toMatchObject({
      status: 0,
      entries: [{ content: 'green, then blue' }],
    })
  })

  it('says so where there is nothing to do', async () => {
    const nothing = await jsonHere(['apply', write('empty', '')])
    expect(nothing).toEqual({ status: 0, entries: [] })
    const so = await jsonHere(['apply', write('so', { op: 'alias', ref: 'Deploys', alias: 'releases' })])
    expect(so.change).toBeUndefined()
  })
})
