/** The built program on a memory that a real Chroma server keeps: each command as a process of its own, as its users run it. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addressOf } from '../../src/model/server-address.ts'
import { Desk, type Printed } from '../cli/keepsake.ts'
import { visibleTree } from '../cli/visible-tree.ts'
import { type ChromaServer, describeOnServer } from './server.ts'

/** A memory of its own on the server, and a desk to ask it from. */
async function deskOn(server: ChromaServer): Promise<{
  readonly desk: Desk
  readonly address: string
  readonly ask: (args: readonly string[]) => Promise<Printed>
}> {
  const desk = new Desk()
  const address = addressOf(await server.place())
  return { desk, address, ask: (args) => desk.json([...args, '--workspace', address]) }
}

describeOnServer('the command line on a Chroma server', (server) => {
  it.concurrent('moves a memory there and back, the same to the byte, and finds the same in it', async ({ expect }) => {
    const desk = await Desk.furnished()
    const address = addressOf(await server.place())
    const found = await desk.json(['recall', 'staging server'])
    expect(await desk.json(['move', '--to', address, '--dry-run'])).toMatchObject({ entries: 4, dryRun: true })
    expect(await desk.json(['move', '--to', address])).toMatchObject({ status: 0, to: address, entries: 4, changes: 4 })
    const there = await desk.json(['recall', 'staging server', '--workspace', address])
    expect(there.hits.length).toBeGreaterThan(0)
    expect(there.hits).toEqual(found.hits.map(withoutPath))
    expect(await desk.json(['move', '--to', address])).toMatchObject({ alreadyThere: true })
    expect(await desk.json(['doctor', '--workspace', address])).toMatchObject({ clean: true, status: 0 })
    expect(await desk.json(['move', '--to', 'back', '--workspace', address])).toMatchObject({ status: 0, entries: 4 })
    expect(visibleTree(join(desk.folder, 'back'))).toEqual(visibleTree(desk.workspace))
  })

  it.concurrent('has several processes write at once, and none of their writes is lost', async ({ expect }) => {
    const { ask } = await deskOn(server)
    const names = Array.from({ length: 2 }, (_, n) => `note-${n}`)
    await Promise.all(names.map((name) => ask(['remember', `This is ${name}.`, '--name', name])))
    expect((await ask(['list'])).entries.map(({ name }: { name: string }) => name).sort()).toEqual(names)
  })
})

it('is not sent memories by a hook where only a found file names it', async () => {
  const desk = new Desk()
  writeFileSync(
    join(desk.folder, 'agent.yaml'),
    'spec: { memory: { backend: chroma, url: "http://10.255.0.1:8000" } }\n',
  )
  const input = '{"hook_event_name":"SessionStart","session_id":"s"}'
  const { stdout } = await desk.run(['hook', 'claude'], { input })
  expect(JSON.parse(stdout).systemMessage).toContain('agent.yaml:1 leads to chroma://10.255.0.1:8000, and a file that')
})

/** Only a folder has files to name. */
function withoutPath({ entry: { path: _, ...entry }, ...hit }: Printed): Printed {
  return { entry, ...hit }
}
