/** The SDK's own client over HTTP, in both eras: tools, resources, completion, notices, cancellation, errors. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { beforeAll, describe, expect, it } from 'vitest'
import { PRESET_NAMES, type Preset } from '../../src/model/preset.ts'
import type { Tool } from '../../src/tools/index.ts'
import { ERAS, type Era, eventually, textOf } from './harness.ts'
import { connected, type Served, serveFurnished } from './http-served.ts'

type Args = Readonly<Record<string, unknown>>
type Call = readonly [tool: string, good: Args, says: string, bad: Args]

const CALLS: Readonly<Record<Preset, readonly Call[]>> = {
  default: [
    ['recall', { query: 'printer' }, 'Call the printer first.', { limit: 'many' }],
    ['remember', { content: 'Sail at dawn.', name: 'Tides' }, 'Tides', { content: ' ' }],
    ['reflect', { content: 'I like tides.' }, 'MEMORY.md', { contents: 'x' }],
    ['learn_fact', { topic: 'Moon', content: 'It pulls.' }, 'Moon', { content: 'It pulls.' }],
    ['forget', { ref: 'Tides' }, 'Tides', { ref: 'Nobody' }],
    ['undo', {}, 'Tides', { change: 999_999 }],
    ['soul', { content: 'I am a crab.' }, 'IDENTITY.md', { content: ' ' }],
  ],
  agnx: [
    ['recall', {}, 'heron', { days: -1 }],
    ['remember', { content: 'Sail at dawn.' }, '.md', {}],
    ['reflect', { content: 'I like tides.' }, 'MEMORY.md', { contents: 'x' }],
    ['learn_fact', { topic: 'Moon', content: 'It pulls.' }, 'Moon', { content: 'It pulls.' }],
  ],
  reachy: [
    ['store_memory', { content: 'Sail at dawn.' }, 'Sail at dawn.', { content: 'x', memory_type: 'dream' }],
    ['search_memories', { query: 'dawn' }, 'Sail at dawn.', { query: '' }],
    ['forget_memory', { memory_id: 'nobody' }, 'nobody', {}],
  ],
  crabtalk: [
    [
      'remember',
      { name: 'Tides', description: 'when', content: 'Sail at dawn.' },
      'Tides',
      { name: 'x', content: 'x' },
    ],
    ['recall', { query: 'dawn', limit: 3 }, 'Sail at dawn.', { query: [] }],
    ['forget', { name: 'Tides' }, 'Tides', { name: 'Nobody' }],
    ['memory', { content: 'I like tides.' }, 'MEMORY.md', { content: 7 }],
    ['soul', { content: 'I am a crab.' }, 'IDENTITY.md', { content: ' ' }],
  ],
}

/** Every preset to a client of today, and one to a client of the 2025 protocols. */
const PRESETS_AND_ERAS: readonly { readonly preset: Preset; readonly era: Era }[] = [
  ...PRESET_NAMES.map((preset) => ({ preset, era: 'modern' }) as const),
  { preset: 'default', era: 'legacy' },
]

describe.each(PRESETS_AND_ERAS)('the tools of $preset over HTTP, $era', ({ preset, era }) => {
  it('answer a good call in text and as data, and a bad one with an error', async () => {
    const client = await connected(await serveFurnished({ preset }), era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(CALLS[preset].map(([name]) => name).toSorted())
    for (const [name, good, says, bad] of CALLS[preset]) {
      const done = await client.callTool({ name, arguments: good })
      expect([name, done.isError]).toEqual([name, undefined])
      expect(textOf(done)).toContain(says)
      expect(JSON.stringify(done.structuredContent)).toContain(says)
      expect([name, (await client.callTool({ name, arguments: bad })).isError]).toEqual([name, true])
    }
    await expect(client.callTool({ name: 'rm', arguments: {} })).rejects.toMatchObject({ code: -32602 })
    expect(client.getInstructions()).toBe('Recall first.')
    await client.close()
  })
})

/** Waits until it is cancelled, and says when it began and ended. */
function patientTool(): { readonly tool: Tool; readonly running: () => number; readonly cancelled: () => number } {
  let running = 0
  let cancelled = 0
  const tool: Tool = {
    name: 'wait',
    title: 'Wait',
    description: 'Waits.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    everyday: false,
    run: (_args, { signal } = {}) => {
      running++
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          running--
          cancelled++
          reject(signal.reason)
        })
      })
    },
  }
  return { tool, running: () => running, cancelled: () => cancelled }
}

describe.each(ERAS)('a client of the %s era over HTTP', (era) => {
  const patient = patientTool()
  let served: Served
  let client: Client

  beforeAll(async () => {
    served = await serveFurnished({ moreTools: [patient.tool] })
    client = await connected(served, era)
  })

  it('lists, reads and completes resources', async () => {
    const { resources } = await client.listResources({}, { cacheMode: 'bypass' })
    expect(resources.map(({ uri }) => uri)).toEqual([
      'keepsake://memory',
      'keepsake://world/Staging%20server',
      'keepsake://entry/Deploys',
      'keepsake://entry/Posters',
    ])
    const { contents } = await client.readResource({ uri: 'keepsake://entry/releases' })
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: 'Run make ship.' }])
    const ref = { type: 'ref/resource', uri: 'keepsake://entry/{name}' } as const
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'rel' } })
    expect(completion.values).toEqual(['releases'])
    await expect(client.readResource({ uri: 'keepsake://entry/nobody' })).rejects.toMatchObject({ code: -32602 })
  })

  it('hears of what a hand, another program and it itself change, of what it asked for only', async () => {
    const heard: string[] = []
    let lists = 0
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params.uri)
    })
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      lists++
    })
    const uris = ['keepsake://memory', 'keepsake://world/Staging server', 'keepsake://entry/Posters']
    const silent = 'keepsake://entry/Deploys'
    const wanted = [...uris, silent]
    const listening =
      era === 'modern' ? await client.listen({ resourceSubscriptions: wanted, resourcesListChanged: true }) : undefined
    if (!listening) for (const uri of wanted) await client.subscribeResource({ uri })
    // In the 2025 protocols notices come on a stream of their own, which the client opens in its own time.
    await client.callTool({ name: 'reflect', arguments: { content: 'First.' } })
    await eventually(
      async () => {
        await client.callTool({ name: 'reflect', arguments: { content: `Again, ${Date.now()}.` } })
        return heard
      },
      (all) => all.includes('keepsake://memory'),
    )
    await served.memory.learnFact('Staging server', 'Its name is crane.')
    await served.memory.remember('New here.', { name: 'Newcomer' })
    writeFileSync(
      join(served.folder, '.keepsake/agents/main/entries/posters.md'),
      '---\nname: Posters\n---\nBy hand.\n',
    )
    await eventually(
      () => heard,
      (all) => uris.every((uri) => all.includes(uri)),
    )
    expect([...new Set(heard)].toSorted()).toEqual(uris.toSorted())
    await eventually(
      () => lists,
      (count) => count > 0,
    )
    expect(lists).toBeGreaterThan(0)

    if (listening) await listening.close()
    else for (const uri of wanted) await client.unsubscribeResource({ uri })
    // Notices sent before the end may still arrive; those of a later edit must not.
    await client.callTool({ name: 'remember', arguments: { content: 'Unheard.', name: 'Deploys' } })
    await client.callTool({ name: 'recall', arguments: { query: 'unheard' } })
    expect(heard).not.toContain(silent)
  })

  it('cancels a call, which ends at once', async () => {
    const cancelling = new AbortController()
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: cancelling.signal })
    expect(await eventually(patient.running, (count) => count === 1)).toBe(1)
    cancelling.abort()
    await expect(call).rejects.toThrow()
    expect(await eventually(patient.cancelled, (count) => count === 1)).toBe(1)
    expect(patient.running()).toBe(0)
  })

  it('has eight calls in flight, and all of them count', async () => {
    const writes = Array.from({ length: 8 }, (_, n) => ({ content: `Eightfold ${n}.`, name: `Eight ${n}` }))
    const done = await Promise.all(writes.map((args) => client.callTool({ name: 'remember', arguments: args })))
    expect(done.filter(({ isError }) => isError)).toEqual([])
    const entries = await served.memory.list({ kinds: ['note'] })
    expect(entries.filter(({ name }) => name?.startsWith('Eight'))).toHaveLength(8)
  })

  it('sees its calls and streams end with the server', async () => {
    const other = await connected(served, era)
    const call = other.callTool({ name: 'wait', arguments: {} }).catch((error) => error)
    if (era === 'modern') await client.listen({ resourcesListChanged: true })
    else await client.subscribeResource({ uri: 'keepsake://memory' })
    await eventually(patient.running, (count) => count === 1)
    await served.end()
    expect(await call).toBeInstanceOf(Error)
    expect(patient.running()).toBe(0)
    await Promise.all([client.close(), other.close()].map((closing) => closing.catch(() => undefined)))
  })
})
