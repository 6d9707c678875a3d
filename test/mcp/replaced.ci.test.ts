/** A workspace that is deleted and made anew under servers that run: all of it is served, told of, and none of the old one. */
import { rmSync } from 'node:fs'
import type { Client } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { Desk } from '../cli/keepsake.ts'
import { connect, ERAS, type Era, eventually, textOf } from './harness.ts'

const URIS = ['keepsake://memory', 'keepsake://entry/Old', 'keepsake://entry/New']
const LIST = 'the list'

interface Listener {
  readonly client: Client
  readonly told: string[]
}

async function listener(desk: Desk, era: Era): Promise<Listener> {
  const { client } = await connect(desk, era)
  const told: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => void told.push(LIST))
  if (era === 'modern') await client.listen({ resourceSubscriptions: URIS, resourcesListChanged: true })
  else for (const uri of URIS) await client.subscribeResource({ uri })
  expect(await answer(client, 'recall', { query: 'heron' })).toContain('heron')
  return { client, told }
}

async function answer(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: args })
  expect([result.isError ?? false, textOf(result)]).toEqual([false, expect.any(String)])
  return textOf(result)
}

async function hears({ told }: Listener, ...wanted: readonly string[]): Promise<void> {
  const all = await eventually(
    () => told,
    () => wanted.every((one) => told.includes(one)),
  )
  expect(all).toEqual(expect.arrayContaining([...wanted]))
}

async function write(desk: Desk, name: string, bird: string): Promise<void> {
  const memory = await openMemory({ workspace: desk.workspace })
  await memory.remember(`There is a ${bird}.`, { name })
  await memory.reflect(`Thoughts of a ${bird}.`)
  await memory.close()
}

it('goes on with the new one, in both eras', async () => {
  const desk = new Desk()
  expect((await desk.run(['init'])).status).toBe(0)
  await write(desk, 'Old', 'heron')
  const listeners = await Promise.all(ERAS.map((era) => listener(desk, era)))

  rmSync(desk.workspace, { recursive: true })
  expect((await desk.run(['init'])).status).toBe(0)
  await write(desk, 'New', 'stork')
  for (const each of listeners) await hears(each, LIST, ...URIS)
  for (const { client } of listeners) {
    expect(await answer(client, 'recall', { query: 'heron' })).not.toContain('There is')
    expect(await answer(client, 'recall', { query: 'stork' })).toContain('There is a stork.')
    const { resources } = await client.listResources({}, { cacheMode: 'bypass' })
    expect(resources.map(({ name }) => name)).toEqual([expect.any(String), 'New'])
    await expect(client.readResource({ uri: 'keepsake://entry/Old' }, { cacheMode: 'bypass' })).rejects.toThrow()
  }

  for (const { told } of listeners) told.length = 0
  const [one, other] = listeners
  await answer(one?.client as Client, 'remember', { content: 'There is a crane.', name: 'New' })
  for (const each of listeners) await hears(each, 'keepsake://entry/New')
  expect(await answer(other?.client as Client, 'recall', { query: 'crane' })).toContain('There is a crane.')
  expect((await desk.run(['doctor'])).status).toBe(0)
})
