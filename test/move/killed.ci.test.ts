// A move that is killed again and again: the target appears only when it is complete, and the next move starts over.

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { note, topic } from '../../src/testing/requests.ts'
import { Desk, ended } from '../cli/keepsake.ts'
import { isNightly } from '../tier.ts'
import { differentFiles } from './lived-in-folder.ts'

const [ENTRIES, KILLS] = isNightly ? [6000, 30] : [600, 2]

it('can be killed at any moment, and is whole in the end', { timeout: 300_000 }, async () => {
  const desk = await furnished()
  for (const [workspace, target] of [
    ['.keepsake', 'memory.keepsake'],
    ['memory.keepsake', 'back'],
  ] as const) {
    const command = ['move', '--to', target, '--workspace', workspace, '--json']
    let killed = 0
    // A move may be done before the kill; then another one is tried.
    for (let n = 0; n < KILLS || (killed === 0 && n < 20); n++) {
      const child = desk.start(command)
      const end = ended(child)
      await begun(desk, target, end)
      // At another moment each time: while it is written, and while it gets its name.
      await sleep((n * 37) % 160)
      child.kill('SIGKILL')
      const { status } = await end
      killed += status === null ? 1 : 0
      // Whoever looks sees nothing, or all of it.
      if (!existsSync(join(desk.folder, target))) continue
      if (killed > 0) break
      rmSync(join(desk.folder, target), { recursive: true })
    }
    expect(killed).toBeGreaterThan(0)
    const { status, ...moved } = await desk.json(command.slice(0, -1))
    expect([status, moved.entries]).toEqual([0, ENTRIES])
    expect((await desk.json(command.slice(0, -1))).alreadyThere).toBe(true)
  }
  expect(differentFiles(join(desk.folder, 'back'), desk.workspace)).toEqual([])
  const left = readdirSync(desk.folder).filter((name) => /moving|lock|tmp/.test(name))
  expect(left).toEqual([])
})

async function furnished(): Promise<Desk> {
  const desk = new Desk()
  const store = filesystemStore({ root: desk.workspace, timezone: 'UTC' })
  for (let made = 0; made < ENTRIES; made += 100) {
    const operations = Array.from({ length: 100 }, (_, n) =>
      (n % 3 === 0 ? topic : note)(`Thing ${made + n}`, { content: `Text ${made + n}. `.repeat(40) }),
    )
    await store.apply({ operations, origin: { by: 'agent', agent: 'main' } })
    await store.sessions.append('main', `chat ${made}`, [{ type: 'turn', text: 'said '.repeat(500) }])
  }
  await store.close()
  return desk
}

/** Something of the target is there, or the command has ended already. */
async function begun(desk: Desk, target: string, end: Promise<unknown>): Promise<void> {
  let isOver = false
  void end.then(() => {
    isOver = true
  })
  while (!isOver && !readdirSync(desk.folder).some((name) => name.includes(target))) await sleep(2)
}
