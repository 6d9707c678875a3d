// A disk that fills up under a conversation: a clear error or a warning, nothing in half, all that was acknowledged is kept, and
// all well again when there is room. Other writes are in full-disk.test.ts.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkWorkspace } from './invariants.mjs'
import { exchange, KEY, sessionIn, summary, WINDOW } from './session-account.mjs'
import { smallTmpfs } from './tools.mjs'
import { openAs } from './workspace.mjs'

const PAGE = 4096
const LONG = 'and so on '.repeat(300)

it('takes down turns and compacts them whole or not at all, wherever the disk fills', async ({ skip }) => {
  const disk = smallTmpfs(2 * 1024 * 1024)
  if ('missing' in disk) {
    console.warn(`SKIPPED: ${disk.missing}`)
    return skip(disk.missing)
  }
  try {
    const root = join(disk.folder, 'ws')
    let opened = await openAs(1, root, {}, WINDOW)
    const promised: string[] = []
    const outcomes = new Set<string>()
    const attempt = async (what: string, run: () => Promise<{ readonly warnings: readonly string[] }>) => {
      const outcome = await run().then(
        ({ warnings }) => (warnings.length === 0 ? 'done' : 'warned'),
        (error) => {
          expect(error).toMatchObject({ code: 'IO', hint: expect.stringContaining('full') })
          return 'refused'
        },
      )
      outcomes.add(`${what} ${outcome}`)
      return outcome !== 'refused'
    }
    const mustBeWhole = async (): Promise<void> => {
      const { turns } = await sessionIn(opened.memory)
      expect(turns.map(({ id }) => id)).toEqual(promised)
    }
    for (let n = 0; n < 24; n++) {
      const session = opened.memory.session(KEY)
      // Short ones come when long ones slide out: then the transcript has room that the journal has not.
      const more = n % 4 < 2 ? LONG : ''
      const turns = exchange(n).map((turn) => ({ ...turn, content: `${turn.content} ${more}`.trim() }))
      disk.fill((Math.floor(n / 4) % 6) * PAGE)
      if (await attempt('append', () => session.append(turns))) promised.push(...turns.map(({ id }) => id))
      await mustBeWhole()
      if (n % 4 === 1) await attempt('compact', () => session.compact({ summary, keep: 1 }))
      await mustBeWhole()
      if (n % 4 === 3) {
        await opened.store.close()
        opened = await openAs(2 + n, root, {}, WINDOW)
        await mustBeWhole()
      }
      disk.release()
    }
    expect([...outcomes].sort()).toEqual([
      ...['append done', 'append refused', 'append warned'],
      ...['compact done', 'compact refused'],
    ])
    expect((await opened.memory.session(KEY).compact({ summary })).compacted).toBe(true)
    await opened.memory.session(KEY).append(exchange('last'))
    const { live, conversation } = await sessionIn(opened.memory)
    expect(live).toEqual(['qlast', 'alast'])
    expect(conversation).toHaveLength(promised.length)
    await opened.store.close()
    await checkWorkspace(root, { n: 50 })
  } finally {
    disk.free()
  }
})
