/** Resources with the real client in both eras: a server for each era and agent, all on one workspace. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, ResourceNotFoundError } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMemory } from '../../src/index.ts'
import { Desk } from '../cli/keepsake.ts'
import { connect, ERAS, eventually } from './harness.ts'

const SECRET = 'heliotrope'
const HIDING = 'Hid\u200bing'
const ODD_NAMES = ['a/b', '..', '100% säure', '東京 メモ', 'what? #1', 'x+y&z=ü', 'a.b.c', '%41', '{name}']

async function furnishedDesk(): Promise<Desk> {
  const desk = await Desk.furnished()
  const memory = await openMemory({ workspace: desk.workspace })
  for (const name of ODD_NAMES) await memory.remember(`Text of ${name}`, { name })
  await memory.remember('Over in a moment.', { name: 'Fleeting', ttl: '1s' })
  await memory.learnFact('Ships / boats', 'They float.')
  await memory.remember('pass\u200bword </memory>\x1b[2J', { name: HIDING, description: 'a\u202eb' })
  const other = memory.as('other')
  await other.reflect(`The other one's ${SECRET}.`)
  await other.remember(`A ${SECRET} of the other one.`, { name: 'Other secret', aliases: ['odd alias'] })
  await memory.close()
  return desk
}

async function textAt(client: Client, uri: string): Promise<string | undefined> {
  const { contents } = await client.readResource({ uri }, { cacheMode: 'bypass' })
  expect(contents).toMatchObject([{ uri, mimeType: 'text/markdown' }])
  const [first] = contents
  return first && 'text' in first ? first.text : undefined
}

async function namesFor(client: Client, uri: string, name: string, value: string): Promise<readonly string[]> {
  return (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion.values
}

let desk: Desk

beforeAll(async () => {
  desk = await furnishedDesk()
})

describe.each(ERAS)('resources, %s', (era) => {
  let client: Client

  beforeAll(async () => {
    client = (await connect(desk, era)).client
  })

  it('are listed: the memory, topics, the own entries; nothing expired and nothing of others', async () => {
    await eventually(
      () => client.listResources({}, { cacheMode: 'bypass' }),
      ({ resources }) => !resources.some(({ name }) => name === 'Fleeting'),
    )
    const { resources } = await client.listResources({}, { cacheMode: 'bypass' })
    expect(resources[0]).toMatchObject({ uri: 'keepsake://memory', mimeType: 'text/markdown' })
    const names = resources.slice(1).map(({ name }) => name)
    const own = ['Staging server', 'Ships / boats', 'Deploys', 'Posters', 'Hid<U+200B>ing', ...ODD_NAMES]
    expect(names.toSorted()).toEqual(own.toSorted())
    expect(resources.find(({ name }) => name === 'Ships / boats')?.uri).toBe('keepsake://world/Ships%20%2F%20boats')
    expect(JSON.stringify(resources)).not.toMatch(/other/i)
  })

  it('show invisible characters as marks, and no tags', async () => {
    const { resources } = await client.listResources({}, { cacheMode: 'bypass' })
    const hiding = resources.find(({ name }) => name === 'Hid<U+200B>ing')
    expect(hiding?.description).toBe('a<U+202E>b')
    expect(await textAt(client, hiding?.uri ?? '')).toBe('pass<U+200B>word <·/memory><U+001B>[2J')
  })

  it('are read as they were written, whatever their names', async () => {
    const { resources } = await client.listResources({}, { cacheMode: 'bypass' })
    for (const name of ODD_NAMES) {
      const uri = resources.find((resource) => resource.name === name)?.uri ?? ''
      expect(await textAt(client, uri)).toBe(`Text of ${name}`)
    }
    expect(await textAt(client, 'keepsake://world/Ships%20%2F%20boats')).toBe('They float.')
    expect(await textAt(client, 'keepsake://world/Ships / boats')).toBe('They float.')
    expect(await textAt(client, 'keepsake://entry/releases')).toBe('Run make ship.')
    expect(await textAt(client, 'keepsake://entry/Staging%20server')).toBe('Its name is heron.')
    expect(await textAt(client, 'keepsake://memory')).toBe('')
  })

  it.each([
    'keepsake://entry/nobody',
    'keepsake://entry/',
    'keepsake://entry/Fleeting',
    'keepsake://entry/%ff',
    'keepsake://entry/%00',
    'keepsake://entry/Other%20secret',
    'keepsake://entry/odd%20alias',
    `keepsake://entry/${'x'.repeat(3000)}`,
    'keepsake://entry/../../other/MEMORY',
    'keepsake://entry/%2e%2e%2fother%2fMEMORY.md',
    'keepsake://world/MEMORY',
    'keepsake://world/Deploys',
    'keepsake://world/..%2fagents%2fother%2fMEMORY.md',
    'keepsake://memory/other',
    'keepsake://other/memory',
    'keepsake://',
    'file:///etc/passwd',
    '',
  ])('that are not there are not found: %s', async (uri) => {
    const error = await client.readResource({ uri }, { cacheMode: 'bypass' }).catch((caught) => caught)
    expect(error).toBeInstanceOf(ResourceNotFoundError)
    expect(error).toMatchObject({ code: -32602, data: { uri } })
  })

  it('have templates, whose variables are completed', async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    const [topic = '', entry = ''] = resourceTemplates.map(({ uriTemplate }) => uriTemplate)
    expect([topic, entry]).toEqual(['keepsake://world/{topic}', 'keepsake://entry/{name}'])
    expect(await namesFor(client, topic, 'topic', 's')).toEqual(['Ships / boats', 'Staging server'])
    expect(await namesFor(client, topic, 'topic', 'BOAT')).toEqual(['Ships / boats'])
    // What begins so is before what only holds it; an alias is a name, too.
    expect(await namesFor(client, entry, 'name', 'p')).toEqual(['Posters', 'Deploys', 'Ships / boats'])
    expect(await namesFor(client, entry, 'name', 'RELEASE')).toEqual(['releases'])
    expect(await namesFor(client, entry, 'name', 'o')).not.toContain('Other secret')
    expect(await namesFor(client, entry, 'name', 'odd alias')).toEqual([])
    expect(await namesFor(client, entry, 'name', 'Fleeting')).toEqual([])
    await expect(namesFor(client, 'keepsake://memory', 'name', '')).rejects.toMatchObject({ code: -32602 })
    await expect(namesFor(client, entry, 'topic', '')).rejects.toMatchObject({ code: -32602 })
  })

  it('are told when they change, whoever changed them, and only to who asked', async () => {
    const updated: string[] = []
    let lists = 0
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri)
    })
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      lists++
    })
    const wanted = [
      'keepsake://memory',
      'keepsake://entry/Deploys',
      'keepsake://entry/a%2fb',
      'keepsake://entry/Other%20secret',
    ]
    let stop: () => Promise<unknown>
    if (era === 'legacy') {
      for (const uri of wanted) await client.subscribeResource({ uri })
      await expect(client.subscribeResource({ uri: 'file:///etc/passwd' })).rejects.toBeInstanceOf(
        ResourceNotFoundError,
      )
      stop = () => Promise.all(wanted.map((uri) => client.unsubscribeResource({ uri })))
    } else {
      const stream = await client.listen({ resourceSubscriptions: wanted, resourcesListChanged: true })
      stop = () => stream.close()
    }
    const heard = (uri: string): Promise<readonly string[]> =>
      eventually(
        () => updated.splice(0),
        (uris) => uris.includes(uri),
      )

    desk.edit('agents/main/MEMORY.md', `Edited by hand, ${era}.\n`)
    expect(await heard('keepsake://memory')).toEqual(['keepsake://memory'])
    expect(await textAt(client, 'keepsake://memory')).toBe(`Edited by hand, ${era}.`)

    const elsewhere = await openMemory({ workspace: desk.workspace })
    await elsewhere.remember(`Run make ${era}.`, { name: 'Deploys' })
    expect(await heard('keepsake://entry/Deploys')).toEqual(['keepsake://entry/Deploys'])
    await elsewhere.as('other').remember(`More ${SECRET}, ${era}.`, { name: 'Other secret' })
    await elsewhere.as('other').reflect(`More ${SECRET}, ${era}.`)
    await elsewhere.remember(`Written as a/b, ${era}.`, { name: 'a/b' })
    // As the client wrote it, and nothing of the other agent came before it.
    expect(await heard('keepsake://entry/a%2fb')).toEqual(['keepsake://entry/a%2fb'])

    lists = 0
    await elsewhere.remember('One more.', { name: `New ${era}` })
    expect(
      await eventually(
        () => lists,
        (count) => count > 0,
      ),
    ).toBeGreaterThan(0)
    await elsewhere.forget(`New ${era}`)
    await elsewhere.remember('Text of a/b', { name: 'a/b' })
    await elsewhere.remember('Run make ship.', { name: 'Deploys' })
    await elsewhere.close()

    await client.callTool({ name: 'reflect', arguments: { content: `Written by a call, ${era}.` } })
    expect(await heard('keepsake://memory')).toContain('keepsake://memory')

    await stop()
    // What was told before the end is here once a later question is answered.
    await client.listResourceTemplates({}, { cacheMode: 'bypass' })
    updated.length = 0
    rmSync(join(desk.workspace, 'agents/main/MEMORY.md'))
    expect(
      await eventually(
        () => textAt(client, 'keepsake://memory'),
        (text) => text === '',
      ),
    ).toBe('')
    expect(updated).toEqual([])
  })
})

describe('many resources', () => {
  it('are listed by the page, each once, also when some come and go meanwhile; completion is bounded', async () => {
    const many = await Desk.empty()
    const memory = await openMemory({ workspace: many.workspace })
    const names = Array.from({ length: 450 }, (_, index) => `note ${String(index).padStart(3, '0')}`)
    await memory.apply(names.map((name) => ({ op: 'add', kind: 'note', scope: 'main', name, content: name })))
    const { client } = await connect(many, 'modern')
    const seen: string[] = []
    let cursor: string | undefined
    do {
      // Page by page, by hand: the client would gather them on its own.
      const page = await client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } })
      seen.push(...page.resources.map(({ name }) => name))
      cursor = page.nextCursor
      if (cursor !== undefined) await memory.forget(seen.at(-1) ?? '')
    } while (cursor !== undefined)
    await memory.close()
    expect(seen).toEqual(['memory', ...names])
    await expect(
      client.request({ method: 'resources/list', params: { cursor: 'from elsewhere' } }),
    ).rejects.toMatchObject({ code: -32602 })
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'keepsake://entry/{name}' },
      argument: { name: 'name', value: 'note' },
    })
    expect(completion).toMatchObject({ hasMore: true, values: { length: 100 } })
    expect(completion.total).toBeGreaterThan(400)
  })
})

describe('a workspace with files that can\u2019t be read', () => {
  it.each(ERAS)('says so for each, and completes the others however they are typed, %s', async (era) => {
    const broken = await Desk.furnished()
    const memory = await openMemory({ workspace: broken.workspace })
    await memory.reflect('A page.')
    await memory.remember('Closed on Mondays.', { name: 'Caf\u00e9' })
    await memory.close()
    for (const path of ['agents/main/MEMORY.md', 'agents/main/entries/deploys.md', 'world/staging-server.md']) {
      writeFileSync(join(broken.workspace, path), Uint8Array.of(0xff, 0xfe, 0x0a))
    }
    const { client } = await connect(broken, era)
    for (const [uri, path] of [
      ['keepsake://memory', 'agents/main/MEMORY.md'],
      ['keepsake://entry/Deploys', 'agents/main/entries/deploys.md'],
      ['keepsake://entry/releases', 'agents/main/entries/deploys.md'],
      ['keepsake://world/Staging%20server', 'world/staging-server.md'],
      ['keepsake://entry/Staging%20server', 'world/staging-server.md'],
    ] as const) {
      const error = await textAt(client, uri).catch((caught) => caught)
      expect(error).not.toBeInstanceOf(ResourceNotFoundError)
      expect(error).toMatchObject({ code: -32603, data: { code: 'DAMAGED' } })
      expect(error.message).toContain(`${path} can't be read: it is not UTF-8 text`)
    }
    expect(await textAt(client, 'keepsake://entry/Posters')).not.toBe('')
    await expect(textAt(client, 'keepsake://entry/nobody')).rejects.toBeInstanceOf(ResourceNotFoundError)
    expect(await namesFor(client, 'keepsake://entry/{name}', 'name', 'cafe\u0301')).toEqual(['Caf\u00e9'])
  })
})

describe('a client of 2025 that subscribes and never lists', () => {
  it('hears when the list changes', async () => {
    const { client } = await connect(desk, 'legacy')
    let lists = 0
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      lists++
    })
    await client.subscribeResource({ uri: 'keepsake://memory' })
    await client.callTool({ name: 'remember', arguments: { content: 'One more.', name: 'Unlisted' } })
    const heard = await eventually(
      () => lists,
      (count) => count > 0,
    )
    expect(heard).toBeGreaterThan(0)
    await client.callTool({ name: 'forget', arguments: { name: 'Unlisted' } })
  })
})

describe('two agents on one workspace', () => {
  it('reach the world and their own, never each other', async () => {
    const { client } = await connect(desk, 'modern', ['--agent', 'other'])
    expect(await textAt(client, 'keepsake://memory')).toContain(SECRET)
    expect(await textAt(client, 'keepsake://entry/odd%20alias')).toContain(SECRET)
    expect(await textAt(client, 'keepsake://world/Staging%20server')).toBe('Its name is heron.')
    await expect(textAt(client, 'keepsake://entry/Deploys')).rejects.toBeInstanceOf(ResourceNotFoundError)
    expect(await namesFor(client, 'keepsake://entry/{name}', 'name', 'Deploys')).toEqual([])
    const { client: main } = await connect(desk, 'modern')
    const { resources } = await client.listResources()
    const own = resources.filter(({ uri }) => !uri.startsWith('keepsake://world/') && uri !== 'keepsake://memory')
    for (const { uri } of own) {
      await expect(textAt(main, uri)).rejects.toBeInstanceOf(ResourceNotFoundError)
    }
    expect(own).toHaveLength(1)
    for (const query of [SECRET, 'Other secret', 'odd alias']) {
      const found = await main.callTool({ name: 'recall', arguments: { query } })
      expect(JSON.stringify(found)).not.toContain(`A ${SECRET}`)
    }
  })
})
