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
  it.concurrent('moves the entries there and back, and finds the same entries', async ({ expect }) => {
    const desk = await Desk.furnished()
    const address = addressOf(await server.place())
    const found = await desk.json(['recall', 'staging server'])
    const move = ['move', '--to', address]
    expect(await desk.json(move)).toMatchObject({
      status: 2,
      error: { hint: expect.stringContaining('--without-history') },
    })
    expect(await desk.json(['list', '--workspace', address])).toMatchObject({ error: { code: 'NOT_FOUND' } })
    const withoutHistory = [...move, '--without-history']
    expect(await desk.json([...withoutHistory, '--dry-run'])).toMatchObject({ entries: 4, changes: 0, dryRun: true })
    expect(await desk.json(withoutHistory)).toMatchObject({
      ...{ status: 0, to: address, entries: 4, changes: 0 },
      warnings: [expect.stringContaining('changes (4)')],
    })
    const there = await desk.json(['recall', 'staging server', '--workspace', address])
    expect(there.hits.length).toBeGreaterThan(0)
    expect(there.hits.map(plainHit)).toEqual(found.hits.map(plainHit))
    expect(await desk.json(withoutHistory)).toMatchObject({ alreadyThere: true })
    expect(await desk.json(['doctor', '--workspace', address])).toMatchObject({ clean: true, status: 0 })
    expect(await desk.json(['move', '--to', 'back', '--workspace', address])).toMatchObject({ status: 0, entries: 4 })
    expect(visibleTree(join(desk.folder, 'back'))).toEqual(visibleTree(desk.workspace))
  })

  it.concurrent('says why it lacks something, and changes nothing', async ({ expect }) => {
    const { ask } = await deskOn(server)
    await ask(['remember', 'Ships on Tuesday.', '--name', 'Ships'])
    const lacking = [
      ['undo'],
      ['log'],
      ['blame', 'Ships'],
      ['recall', 'ships', '--as-of', '2026-01-01'],
      ['session', 'list'],
      ['session', 'show', 's'],
      ['session', 'append', 's', '--role', 'user', 'hello'],
      ['remember', 'new', '--name', 'Ships', '--expect', '0123456789abcdef'],
      ['remember', 'new', '--name', 'New', '--expect', 'new'],
    ]
    for (const args of lacking) {
      const { error } = await ask(args)
      expect(error, args.join(' ')).toMatchObject({ code: 'UNSUPPORTED', hint: expect.any(String) })
    }
    const { entries } = await ask(['list'])
    expect(entries.map(({ content }: { content: string }) => content)).toEqual(['Ships on Tuesday.'])
  })

  it.concurrent('forgets, purges, backs up and answers hooks despite what it lacks', async ({ expect }) => {
    const { desk, address, ask } = await deskOn(server)
    for (const name of ['a', 'b', 'c']) await ask(['remember', `About ${name}.`, '--name', name])
    expect(await ask(['forget', 'a', '--yes'])).not.toHaveProperty('change')
    expect(await ask(['forget', 'b', '--purge', '--yes'])).toMatchObject({
      outOfReach: [expect.stringContaining('copies that the Chroma server')],
    })
    expect(await ask(['backup', 'copy.keepsake'])).toMatchObject({ status: 0, entries: 1, changes: 0 })
    const input = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'what about c?' })
    const { stdout } = await desk.run(['hook', 'claude', '--workspace', address], { input })
    expect(stdout).toContain('About c.')
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

/** Only a folder has files to name, and a server keeps no seqs. */
function plainHit({ entry: { path: _, seq: __, ...entry }, ...hit }: Printed): Printed {
  return { entry, ...hit }
}
