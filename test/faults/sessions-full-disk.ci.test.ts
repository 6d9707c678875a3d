// A disk that fills up under a conversation: a clear error or a warning, nothing in half, all that was acknowledged is kept, and
// all well again when there is room. Other writes are in full-disk.ci.test.ts.
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppendedTurns, Compacted, TurnInput } from '../../src/memory.ts'
import { checkWorkspace } from './invariants.mjs'
import type { Opened } from './scenarios.mjs'
import { exchange, KEY, sessionIn, summary, WINDOW } from './session-account.mjs'
import { type SmallTmpfs, smallTmpfs } from './tools.mjs'
import { openAs } from './workspace.mjs'

const PAGE = 4096
const ROUNDS = 24

const probe = smallTmpfs(PAGE)
if ('missing' in probe) console.warn(`SKIPPED: ${probe.missing}`)
else probe.free()

function long(n: number | string): TurnInput[] {
  return exchange(n).map((turn) => ({ ...turn, content: `${turn.content} ${'and so on '.repeat(300)}`.trim() }))
}

describe.skipIf('missing' in probe)('a disk that fills up under a conversation', () => {
  let disk: SmallTmpfs
  let opened: Opened
  let processes = 0

  const root = (): string => join(disk.folder, 'ws')
  const session = () => opened.memory.session(KEY)
  const reopen = async (): Promise<void> => {
    await opened?.store.close()
    opened = await openAs(++processes, root(), {}, WINDOW)
  }

  beforeEach(async () => {
    const made = smallTmpfs(2 * 1024 * 1024)
    if ('missing' in made) throw new Error(made.missing)
    disk = made
    await reopen()
  })
  afterEach(async () => {
    await opened.store.close()
    disk.free()
  })

  it('takes down turns and compacts them whole or not at all, wherever it fills', async () => {
    const promised: string[] = []
    const outcomes = new Set<string>()
    for (let n = 0; n < ROUNDS; n++) {
      const turns = n % 4 < 2 ? long(n) : exchange(n)
      disk.fill(Math.floor(n / 4) * 8 * PAGE)
      const said = await outcomeOf(session().append(turns))
      if (said !== 'refused') promised.push(...turns.map(({ id = '' }) => id))
      outcomes.add(`append ${said}`)
      expect((await sessionIn(opened.memory)).turns.map(({ id }) => id)).toEqual(promised)
      if (n % 4 === 1) outcomes.add(`compact ${await outcomeOf(session().compact({ summary, keep: 1 }))}`)
      if (n % 4 === 3) await reopen()
      expect((await sessionIn(opened.memory)).turns.map(({ id }) => id)).toEqual(promised)
      disk.release()
    }
    for (const what of ['append', 'compact']) expect([...outcomes]).toContain(`${what} refused`)
    for (const what of ['append', 'compact']) expect([...outcomes]).toContain(`${what} done`)
    await session().append(exchange('last'))
    expect((await session().compact({ summary })).compacted).toBe(true)
    const { live, conversation } = await sessionIn(opened.memory)
    expect(live).toEqual([])
    expect(conversation).toHaveLength(promised.length + 2)
    await checkWorkspace(root(), { n: ++processes })
  })

  it('takes down what is said where there is no room for what slides out, which comes later', async () => {
    for (const turns of [long(1), long(2)]) await session().append(turns)
    // For a new journal, but not for what slides out.
    disk.fill(PAGE)
    const { warnings } = await session().append(exchange(3))
    expect(warnings).toEqual([expect.stringContaining('no space left')])
    await reopen()
    const full = await sessionIn(opened.memory)
    expect([full.turns.length, full.conversation.length]).toEqual([6, 0])
    disk.release()
    await session().append(exchange(4))
    expect((await sessionIn(opened.memory)).conversation).toHaveLength(4)
  })
})

async function outcomeOf(call: Promise<AppendedTurns | Compacted>): Promise<'done' | 'nothing' | 'refused'> {
  try {
    const done = await call
    return 'compacted' in done && !done.compacted ? 'nothing' : 'done'
  } catch (error) {
    expect(error).toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
    return 'refused'
  }
}
