/** The front door: `npm start`, which is `keepsake serve --sample`. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isSample, madeSample, removeSample } from '../../src/cli/sample/sample.ts'
import { writeSample } from '../../src/cli/sample/write-sample.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { KIND_NAMES } from '../../src/model/kinds.ts'
import { afterThisFile } from '../clean-up.ts'
import { Desk, ended, freshFolder, treeHash } from './keepsake.ts'

const NOON = Date.parse('2026-11-17T12:00:00Z')
const DAY_MS = 86_400_000

async function sampleAt(nowMs: number): Promise<Memory> {
  const root = join(freshFolder(), 'sample')
  await writeSample(root, nowMs)
  const memory = await openMemory({ workspace: root, clock: () => nowMs, embeddingModel: 'none' })
  afterThisFile(() => memory.close())
  return memory
}

function countsOf(entries: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind } of entries) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

describe('what the sample holds', () => {
  let memory: Memory
  beforeAll(async () => {
    memory = await sampleAt(NOON)
  })

  it('is two agents with something of every kind but an identity', async () => {
    const counts = countsOf(await memory.store.heads({}))
    expect(Object.keys(counts).sort()).toEqual(KIND_NAMES.filter((kind) => kind !== 'identity').toSorted())
    expect(counts).toMatchObject({ memory: 2, topic: 9, archive: 1, context: 1 })
    expect((counts['note'] ?? 0) + (counts['fact'] ?? 0)).toBeGreaterThanOrEqual(15)
    expect(counts['experience']).toBeGreaterThanOrEqual(25)
  })

  it('grew over four weeks, and its log tells of rewrites, a rename, an undo, a hand and a condensing', async () => {
    const log = (await memory.log({ limit: 1000 })).toReversed()
    const times = log.map(({ change }) => change.at)
    expect(times).toEqual(times.toSorted())
    expect(NOON - Date.parse(times[0] ?? '')).toBeGreaterThan(26 * DAY_MS)
    expect(Date.parse(times.at(-1) ?? '')).toBe(NOON)
    const origins = new Set(log.map(({ change }) => change.origin.by))
    expect(origins).toEqual(new Set(['agent', 'user', 'consolidation', 'undo']))
    const done = new Set(log.flatMap(({ change }) => change.operations.map(({ op }) => op)))
    expect(done).toEqual(new Set(['add', 'write', 'rename', 'alias', 'remove']))
    expect(log.filter(({ undoneBy }) => undoneBy !== undefined)).toHaveLength(1)
  })

  it('has a conversation that was condensed, and one that goes on', async () => {
    const condensed = await memory.session('postgres-upgrade').transcript()
    expect(condensed.turns).toHaveLength(20)
    expect(condensed.markers).toMatchObject([{ reason: 'compact', turns: 20, archiveName: 'postgres-upgrade-1' }])
    expect((await memory.session('double-booking').window()).turns).toHaveLength(8)
  })

  it('has what ends soon, and nothing that has ended', async () => {
    const ending = (await memory.list({ kinds: ['note', 'context'] })).filter(({ expiresAt }) => expiresAt !== null)
    const names = ending.map(({ name, key }) => name ?? key).sort()
    expect(names).toEqual(['Demo at the harbour office', 'Feature freeze', 'task'])
    const days = ending.map(({ expiresAt }) => (Date.parse(expiresAt ?? '') - NOON) / DAY_MS)
    expect(Math.max(...days)).toBeLessThan(3)
    expect((await memory.cleanup()).deleted).toBe(0)
  })

  it('answers a question as a person would ask it, and tells what was recalled before', async () => {
    const { hits } = await memory.search('why could two boats book the same berth?', { mode: 'lexical' })
    expect(hits[0]?.entry.name).toBe('Double bookings')
    expect((await memory.recalls()).counts.size).toBeGreaterThan(3)
  })

  it.each(['2026-11-17T00:05:00Z', '2026-11-17T23:59:59Z', '2026-03-29T02:30:00Z', '2026-03-01T12:00:00Z'])(
    'is the same whenever it is made, but for dates and ids: %s',
    async (now) => {
      const other = await sampleAt(Date.parse(now))
      expect(await textsOf(other)).toEqual(await textsOf(memory))
      expect((await other.log({ limit: 1000 })).length).toBe((await memory.log({ limit: 1000 })).length)
      expect(await other.getContext('task')).toContain('BER-231')
    },
  )
})

/** Without those of the condensing: its texts have the time in them. */
async function textsOf(memory: Memory): Promise<unknown> {
  const entries = await memory.list({ kinds: ['topic', 'memory', 'note', 'fact', 'experience', 'conversation'] })
  return entries.map(({ kind, name, content, metadata }) => ({ kind, name, content, sure: metadata['sure'] }))
}

describe('making and removing the sample', () => {
  it('leaves nothing but the folder, with a sign in it', async () => {
    const folder = freshFolder()
    await Promise.all([madeSample(join(folder, 'sample')), madeSample(join(folder, 'sample'))])
    expect(readdirSync(folder)).toEqual(['sample'])
    expect(isSample(join(folder, 'sample'))).toBe(true)
    const sign = readFileSync(join(folder, 'sample/SAMPLE.md'), 'utf8')
    expect(sign).toMatch(/^This memory is a sample[\s\S]*<!-- the sample [\w-]{36} -->\n$/)
  })

  it("takes nobody's own memory for the sample, whatever files it has", async () => {
    const folder = freshFolder()
    const [sample, own] = [join(folder, 'sample'), join(folder, 'own')]
    await madeSample(sample)
    const memory = await openMemory({ workspace: own })
    await memory.remember('precious', { name: 'Mine' })
    await memory.close()
    writeFileSync(join(own, 'SAMPLE.md'), readFileSync(join(sample, 'SAMPLE.md')))
    expect([isSample(sample), isSample(own)]).toEqual([true, false])
    expect(() => removeSample(own, () => undefined)).toThrow(/is not the sample/)
  })

  it('refuses to remove what is not the sample', () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'keepsake.yaml'), '')
    expect(() => removeSample(folder, () => undefined)).toThrow(/is not the sample/)
  })
})

interface Started {
  readonly child: ChildProcessWithoutNullStreams
  readonly url: string
  readonly link: string
  readonly over: ReturnType<typeof ended>
}

/** Resolves when it has printed where it is. */
function started(desk: Desk, args: readonly string[] = ['serve', '--sample']): Promise<Started> {
  const child = desk.start([...args, '--json'])
  const over = ended(child)
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (bytes: Buffer) => resolve({ child, over, ...JSON.parse(bytes.toString()) }))
    over.then(({ stdout, stderr }) => reject(new Error(`it ended: ${stdout}${stderr}`)), reject)
  })
}

async function interrupted({ child, over }: Started): Promise<void> {
  child.kill('SIGINT')
  expect(await over).toMatchObject({ status: 0, stderr: '' })
}

/** As the page does it, with the secret of the link. */
async function asked({ url, link }: Started, path: string): Promise<{ status: number; body: unknown }> {
  const post = (where: string, body: object, headers = {}) =>
    fetch(`${url}/api/v1${where}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const opened = await post('/open', { secret: link.split('#key=')[1] })
  const { key } = (await opened.json()) as { key: string } // what this server answers is told by its own tests
  const cookie = (opened.headers.get('Set-Cookie') ?? '').split(';')[0] ?? ''
  const answer = await post(path, {}, { Cookie: cookie, 'Keepsake-Key': key })
  return { status: answer.status, body: await answer.json() }
}

describe('keepsake serve --sample', () => {
  it('says where the page and MCP are, and how a client is told; Ctrl+C ends it', async () => {
    const desk = new Desk()
    const child = desk.start(['serve', '--sample', '--port', '0'])
    const over = ended(child)
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGINT')
    const { status, stdout, stderr } = await over
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Page {3}http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{32}\n/)
    expect(stdout).toMatch(/MCP {4}http:\/\/127\.0\.0\.1:\d+\/mcp\n/)
    expect(stdout).toMatch(/keepsake install CLIENT --http --port \d+\n/)
    expect(stdout).toContain('It is a sample')
  })

  it('makes it once, and doctor reports nothing', async () => {
    const desk = new Desk()
    await interrupted(await started(desk))
    const pinned = readFileSync(join(desk.folder, 'sample/keepsake.yaml'), 'utf8')
    writeFileSync(join(desk.folder, 'sample/world/team.md'), 'Mine now.\n')
    await interrupted(await started(desk))
    expect(readFileSync(join(desk.folder, 'sample/keepsake.yaml'), 'utf8')).toBe(pinned)
    expect(readFileSync(join(desk.folder, 'sample/world/team.md'), 'utf8')).toBe('Mine now.\n')
    expect(await desk.json(['doctor', '--workspace', 'sample'])).toMatchObject({ status: 0, problems: [] })
  })

  it('comes up where its port is taken', async () => {
    const desk = new Desk()
    const first = await started(desk)
    const second = await started(desk)
    expect(second.url).not.toBe(first.url)
    await Promise.all([interrupted(first), interrupted(second)])
  })

  it("leaves a folder alone that is somebody else's", async () => {
    const desk = new Desk()
    mkdirSync(join(desk.folder, 'sample'))
    writeFileSync(join(desk.folder, 'sample/data.txt'), 'precious')
    const before = treeHash(desk.folder)
    const { status, stderr } = await desk.run(['serve', '--sample'])
    expect(status).toBe(1)
    expect(stderr).toContain('sample is there already and is not the sample')
    expect(stderr).toContain('Move it away')
    expect(treeHash(desk.folder)).toBe(before)
  })

  it('is removed by one request of the page, with nothing left, and ends', async () => {
    const desk = new Desk()
    const serving = await started(desk)
    expect(await asked(serving, '/sample/remove')).toEqual({ status: 200, body: { done: true } })
    expect((await serving.over).status).toBe(0)
    // The home has the token of the server.
    expect(readdirSync(desk.folder)).toEqual(['home'])
  })

  it('removes no other memory', async () => {
    const desk = await Desk.furnished()
    const before = readdirSync(desk.workspace)
    const serving = await started(desk, ['serve', '--port', '0'])
    expect(await asked(serving, '/sample/remove')).toMatchObject({
      status: 501,
      body: { error: { code: 'UNSUPPORTED' } },
    })
    serving.child.kill('SIGINT')
    expect((await serving.over).status).toBe(0)
    expect(readdirSync(desk.workspace)).toEqual(before)
  })
})

it('keepsake serve warns about a new agent', async () => {
  const serving = await started(await Desk.furnished(), ['serve', '--port', '0', '--agent', 'mian'])
  serving.child.kill('SIGINT')
  expect((await serving.over).stderr).toContain('agent "mian" is new; did you mean "main"?')
})
