/** What a person does on the page, as the API sees it: each answer is looked at, and so are the files. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { freshFolder } from '../cli/keepsake.ts'
import { type ServedPage, servePage, type Visitor, visitor } from './served-page.ts'

let served: ServedPage
let asker: Visitor

beforeAll(async () => {
  served = await servePage()
  asker = await visitor(served)
})

function fileOf(entry: { readonly path: string }): string {
  return readFileSync(join(served.root, entry.path), 'utf8')
}

async function made(name: string, content = 'First text.'): Promise<{ id: string; revision: string; path: string }> {
  const { json } = await asker.ask('POST', '/entries', { kind: 'note', name, content })
  return json.entry
}

describe('writing', () => {
  it('writes a new note to a file with the origin `user`, and undoes it', async () => {
    const { json } = await asker.ask('POST', '/entries', {
      kind: 'note',
      name: 'Fairs',
      content: 'Pack the banner.',
      description: 'Each spring',
      aliases: ['trade fairs'],
      metadata: { season: 'spring' },
      ttl: '30d',
    })
    expect(fileOf(json.entry)).toContain('Pack the banner.')
    expect(json.entry).toMatchObject({
      origin: { by: 'user' },
      aliases: ['trade fairs'],
      metadata: { season: 'spring' },
    })
    expect(json.entry.expiresAt).not.toBeNull()
    const undone = await asker.ask('POST', '/undo', { changes: [json.change] })
    expect(undone.json.undone).toEqual([json.change])
    expect((await asker.get(`/entries/${json.entry.id}`)).status).toBe(404)
    const redone = await asker.ask('POST', '/undo', { changes: [undone.json.change] })
    expect(redone.status).toBe(200)
    expect((await asker.get(`/entries/${json.entry.id}`)).json.entry.content).toBe('Pack the banner.')
  })

  it('rewrites and renames in one change, and the old name stays', async () => {
    const entry = await made('Banners')
    const { json } = await asker.ask('PATCH', `/entries/${entry.id}`, {
      name: 'Flags',
      content: 'They are in the cellar.',
      description: '',
      metadata: { where: 'cellar' },
      expect: entry.revision,
    })
    expect(json.entry).toMatchObject({ name: 'Flags', aliases: ['Banners'], metadata: { where: 'cellar' } })
    expect(fileOf(json.entry)).toContain('They are in the cellar.')
    await asker.ask('POST', '/undo', { changes: [json.change] })
    expect((await asker.get(`/entries/${entry.id}`)).json.entry).toMatchObject({
      name: 'Banners',
      content: 'First text.',
    })
  })

  it('writes nothing over what was not seen, and shows what is there instead', async () => {
    const entry = await made('Race')
    const path = join(served.root, entry.path)
    writeFileSync(path, readFileSync(path, 'utf8').replace('First text.', 'By an editor.'))
    const late = await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'By the page.', expect: entry.revision })
    expect(late.status).toBe(409)
    expect(late.json.error).toMatchObject({ code: 'CONFLICT', current: { id: entry.id, content: 'By an editor.' } })
    expect(fileOf(entry)).toContain('By an editor.')
    const { revision } = late.json.error.current
    const again = await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'By the page.', expect: revision })
    expect(again.status).toBe(200)
    expect(fileOf(entry)).toContain('By the page.')
  })

  it("shows what is there instead of another agent's entry, too", async () => {
    const late = await asker.ask('PATCH', '/entries/Secret%20of%20scout?agent=scout', {
      content: 'Too late.',
      expect: '0000000000000000',
    })
    expect([late.status, late.json.error.current.content]).toEqual([409, 'Only scout knows.'])
  })

  it('minds what was expected also where nothing would change, and makes no change of what is so already', async () => {
    const entry = await made('Unchanged')
    const stale = await asker.ask('PATCH', `/entries/${entry.id}`, { name: 'Unchanged', expect: '0000000000000000' })
    expect(stale.status).toBe(409)
    const same = await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'First text.', expect: entry.revision })
    expect([same.status, same.json.change]).toEqual([200, undefined])
  })

  it('undoes nothing for who asks for nothing', async () => {
    expect((await asker.ask('POST', '/undo', null)).status).toBe(400)
  })

  it('tells of an entry that is gone meanwhile that it is', async () => {
    const entry = await made('Gone')
    await served.memory.forget(entry.id)
    const late = await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'Too late.', expect: entry.revision })
    expect([late.status, late.json.error.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('gives, takes over and drops aliases', async () => {
    const [one, other] = [await made('One'), await made('Other')]
    expect((await asker.ask('POST', `/entries/${one.id}/aliases`, { alias: 'both' })).json.entry.aliases).toEqual([
      'both',
    ])
    const taken = await asker.ask('POST', `/entries/${other.id}/aliases`, { alias: 'both' })
    expect([taken.status, taken.json.error.code]).toEqual([409, 'NAME_TAKEN'])
    const moved = await asker.ask('POST', `/entries/${other.id}/aliases`, { alias: 'both', mode: 'take' })
    expect(moved.json.entry).toMatchObject({ id: other.id, aliases: ['both'] })
    const dropped = await asker.ask('POST', `/entries/${other.id}/aliases`, { alias: 'both', mode: 'drop' })
    expect(dropped.json.entry.aliases).toEqual([])
  })

  it('gives an entry an end and takes it away again', async () => {
    const entry = await made('Ending')
    const at = new Date(Date.now() + 86_400_000).toISOString()
    expect((await asker.ask('PATCH', `/entries/${entry.id}`, { expiresAt: at })).json.entry.expiresAt).toBe(at)
    expect((await asker.ask('PATCH', `/entries/${entry.id}`, { expiresAt: null })).json.entry.expiresAt).toBeNull()
    expect((await asker.ask('PATCH', `/entries/${entry.id}`, { expiresAt: 'soon' })).status).toBe(400)
  })

  it('forgets, with compare-and-swap', async () => {
    const entry = await made('Waste')
    expect((await asker.ask('DELETE', `/entries/${entry.id}?expect=0000000000000000`)).status).toBe(409)
    const { json } = await asker.ask('DELETE', `/entries/${entry.id}?expect=${entry.revision}`)
    expect(json.entry.name).toBe('Waste')
    expect((await asker.get(`/entries/${entry.id}`)).status).toBe(404)
  })

  it('changes nothing where nothing is asked for', async () => {
    const entry = await made('Same')
    const { status, json } = await asker.ask('PATCH', `/entries/${entry.id}`, { name: 'Same' })
    expect([status, json.change]).toEqual([200, undefined])
  })

  it('leaves the identity alone where that may not be written', async () => {
    const { status, json } = await asker.ask('POST', '/entries', { kind: 'identity', content: 'You are someone else.' })
    expect([status, json.error.code]).toEqual([403, 'READ_ONLY'])
  })
})

describe('looking', () => {
  it('looks at the files as often for a hundred rows as for one, even if none is in the journal', async () => {
    const root = join(freshFolder(), '.keepsake')
    const store = filesystemStore({ root, timezone: 'UTC' })
    let looks = 0
    const counted: typeof store = {
      ...store,
      get: (...asked) => store.get(...asked).finally(() => looks++),
      heads: (...asked) => store.heads(...asked).finally(() => looks++),
      scan: (...asked) => {
        looks++
        return store.scan(...asked)
      },
    }
    const own = await servePage({ memory: { store: counted } })
    for (let count = 0; count < 100; count++) {
      writeFileSync(join(root, `agents/main/entries/by-hand-${count}.md`), `Text ${count}.\n`)
    }
    const its = await visitor(own)
    const looksFor = async (limit: number): Promise<number> => {
      looks = 0
      expect((await its.get(`/entries?kinds=note&limit=${limit}`)).json.entries).toHaveLength(limit)
      return looks
    }
    expect(await looksFor(100)).toBe(await looksFor(1))
  })

  it('lists by page, kind, scope and order', async () => {
    const notes = (await asker.get('/entries?kinds=note&sort=name&limit=2')).json
    expect(notes.entries).toHaveLength(2)
    expect(notes.total).toBeGreaterThan(2)
    const rest = (await asker.get('/entries?kinds=note&sort=name&offset=2&limit=200')).json
    const names = [...notes.entries, ...rest.entries].map(({ name }: { name: string }) => name)
    expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')))
    expect(new Set(names).size).toBe(notes.total)
    const world = (await asker.get('/entries?scope=world')).json
    expect(world.entries.map(({ kind }: { kind: string }) => kind)).toEqual(['topic'])
    expect(world.entries[0].excerpt).toBe('Its name is heron.')
  })

  it("shows another agent's memory only to who asks for that agent", async () => {
    const { json } = await asker.get('/workspace')
    expect(json.agents.map(({ agent }: { agent: string }) => agent)).toEqual(['main', 'scout'])
    const mine = (await asker.get('/search?q=scout')).json
    expect(mine.hits).toEqual([])
    const its = (await asker.get('/search?q=scout&agent=scout')).json
    expect(its.hits[0].entry.name).toBe('Secret of scout')
    expect((await asker.get('/entries/Secret%20of%20scout')).status).toBe(404)
    expect((await asker.get('/entries/Secret%20of%20scout?agent=SCOUT')).status).toBe(200)
  })

  it('finds with reasons, and says why one is not there', async () => {
    const { json } = await asker.get('/search?q=heron&explain=true&kinds=topic')
    expect(json.hits[0].entry.name).toBe('Staging server')
    expect(json.hits[0].why.words[0]).toMatchObject({ term: 'heron' })
    expect(json.hits[0].highlights).toEqual([[12, 17]])
    const not = (await asker.get('/why-not?q=heron&ref=Posters')).json
    expect(not).toMatchObject({ reason: 'no-words', entry: { name: 'Posters' } })
  })

  it('filters by metadata, time and kind', async () => {
    const found = async (more: string): Promise<string[]> =>
      (await asker.get(`/search?q=ship&${more}`)).json.hits.map(({ entry }: { entry: { name: string } }) => entry.name)
    expect(await found('where=sure%3E%3D0.8')).toEqual(['Deploys'])
    expect(await found('where=sure%3E%3D0.95')).toEqual([])
    expect(await found('until=2020-01-01')).toEqual([])
    expect(await found('kinds=topic')).toEqual([])
    expect((await asker.get('/search?q=ship&where=nonsense')).status).toBe(400)
  })

  it('shows the memory as it was', async () => {
    const entry = await made('Then', 'As it was.')
    const before = new Date().toISOString()
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(before)), { interval: 1 })
    await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'As it is.' })
    const then = await asker.get(`/entries/${entry.id}?asOf=${before}`)
    expect(then.json.entry.content).toBe('As it was.')
    expect((await asker.get(`/search?q=was&asOf=${before}`)).json.hits[0].entry.id).toBe(entry.id)
    expect((await asker.get('/entries?asOf=2999-01-01')).status).toBe(400)
    // Kept while somebody looks: the same moment again is the same answer.
    expect((await asker.get(`/entries/${entry.id}?asOf=${before}`)).json.entry.content).toBe('As it was.')
  })

  it('tells a session with its markers, its window and what stands for what was before', async () => {
    const { json } = await asker.get('/sessions/chat-1')
    expect(json.turns.map(({ inWindow }: { inWindow: boolean }) => inWindow)).toEqual([false, false, true])
    expect(json.markers).toMatchObject([{ reason: 'compact', turns: 2, unmarked: false }])
    expect(json.archive.content).toBe('Heron is in the new rack.')
    const { items, days } = (await asker.get('/timeline')).json
    expect(items.map(({ type }: { type: string }) => type)).toContain('session')
    expect(days.at(-1)).toMatchObject({ sessions: 1 })
    expect((await asker.get('/timeline?limit=1')).json.next).toBeDefined()
  })

  it('pages through what happened in one instant, a few at a time', async () => {
    const at = '2026-01-02T03:04:05.000Z'
    const batch = Array.from({ length: 25 }, (_, index) => ({
      ...{ op: 'add' as const, kind: 'experience' as const, content: `Of one instant: ${index}.`, createdAt: at },
    }))
    await served.memory.apply(batch)
    const first = (await asker.get('/timeline?limit=10&before=2026-01-03T00:00:00Z')).json
    expect(first.items).toHaveLength(10)
    expect((await asker.get('/timeline?before=then')).status).toBe(400)
  })

  it('pages through the timeline without losing or doubling anything', async () => {
    const all = (await asker.get('/timeline?limit=200')).json.items
    const seen: unknown[] = []
    for (let next = ''; ; ) {
      const page = (await asker.get(`/timeline?limit=1${next}`)).json
      seen.push(...page.items)
      if (page.next === undefined) break
      next = `&before=${encodeURIComponent(page.next)}`
    }
    expect(seen).toEqual(all)
  })

  it('tells changes as diffs, by whom, of one entry, and page by page', async () => {
    const entry = await made('Diffed', 'one\ntwo')
    await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'one\nthree', description: 'counted' })
    const { changes } = (await asker.get(`/changes?entry=${entry.id}`)).json
    expect(changes).toHaveLength(2)
    expect(changes[0]).toMatchObject({ origin: { by: 'user' }, touched: [{ what: 'changed', label: 'Diffed' }] })
    const [touched] = changes[0].touched
    expect(touched.hunks[0].lines.map(({ kind, text }: { kind: string; text: string }) => `${kind} ${text}`)).toEqual([
      'same one',
      'removed two',
      'added three',
    ])
    expect(touched.fields).toEqual([{ field: 'description', before: '', after: 'counted' }])
    const { changes: all } = (await asker.get('/changes?limit=100')).json
    const pages: number[] = []
    for (let before = ''; ; ) {
      const page = (await asker.get(`/changes?limit=7${before}`)).json
      pages.push(...page.changes.map(({ number }: { number: number }) => number))
      if (page.next === undefined) break
      before = `&before=${page.next}`
    }
    expect(pages).toEqual(all.map(({ number }: { number: number }) => number))
    expect((await asker.get('/changes?by=raw-fallback')).json.changes).toEqual([])
  })

  it('marks a purge as such, and shows nothing that it removed', async () => {
    const { id } = await made('To be purged', 'a secret')
    await served.memory.purge(id)
    const [newest] = (await asker.get('/changes?limit=1')).json.changes
    expect(newest).toMatchObject({ isPurge: true, touched: [], omitted: 0 })
    const refused = await asker.ask('POST', '/undo', {})
    expect([refused.status, refused.json.error.message]).toEqual([
      409,
      `change ${newest.number} is a purge and can't be undone`,
    ])
  })

  it('names the later changes that keep one from being undone, and undoes them too when told', async () => {
    const entry = await made('Built on')
    const first = (await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'Second.' })).json.change
    const second = (await asker.ask('PATCH', `/entries/${entry.id}`, { content: 'Third.' })).json.change
    const refused = await asker.ask('POST', '/undo', { changes: [first] })
    expect([refused.status, refused.json.error.later]).toEqual([409, [second]])
    const { json } = await asker.ask('POST', '/undo', { changes: [first], withLater: true })
    expect(json.undone).toEqual([first, second])
    expect((await asker.get(`/entries/${entry.id}`)).json.entry.content).toBe('First text.')
  })

  it('undoes a whole session', async () => {
    await served.memory.remember('By a session.', { name: 'From chat-9', session: 'chat-9' })
    await served.memory.remember('By it too.', { name: 'Also from chat-9', session: 'chat-9' })
    const { json } = await asker.ask('POST', '/undo', { session: 'chat-9' })
    expect(json.undone).toHaveLength(2)
    expect(await served.memory.get('From chat-9')).toBeUndefined()
  })

  it('shows what a model would be given, part by part', async () => {
    const { json } = await asker.ask('POST', '/context', { message: 'where is heron?' })
    const parts = Object.fromEntries(json.parts.map((part: { part: string; text: string }) => [part.part, part.text]))
    expect(parts['memory']).toContain('Prefers short answers.')
    expect(parts['recall']).toContain('heron')
    expect(json.tokens).toBe(json.parts.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0))
  })

  it('names a few of many files that can not be read, and how many more there are', async () => {
    const own = await servePage()
    for (let count = 0; count < 30; count++) {
      writeFileSync(join(own.root, `agents/main/entries/broken-${count}.md`), '---\nname: [\n---\n')
    }
    const its = await visitor(own)
    // Also with later rows: a list may be scrolled far down when a file becomes unreadable.
    for (const path of ['/entries', '/entries?offset=2&limit=2']) {
      const { warnings } = (await its.get(path)).json
      expect(warnings).toHaveLength(21)
      expect(warnings.at(-1)).toContain('10 more')
    }
  })

  it('knows an agent whose last entry is gone, so that this can be undone', async () => {
    const own = await servePage()
    await own.memory.as('scout').forget('Secret of scout')
    const { status, json } = await (await visitor(own)).ask('POST', '/undo?agent=scout', {})
    expect([status, json.undone.length]).toEqual([200, 1])
    expect(await own.memory.as('scout').get('Secret of scout')).toBeDefined()
  })

  it('does not count a look at the context as a recall', async () => {
    const recalled: string[] = []
    const own = await servePage({ memory: { recalled: (ids) => recalled.push(...ids) } })
    const its = await visitor(own)
    expect((await its.ask('POST', '/context', { message: 'where is heron?' })).json.parts.at(-1).part).toBe('recall')
    await its.get('/search?q=heron')
    expect(recalled).toEqual([])
  })

  it('tells how the memory is doing', async () => {
    const { json } = await asker.get('/overview')
    expect(json.memory).toMatchObject({ bytes: Buffer.byteLength('Prefers short answers.'), limit: 8192 })
    expect(json.expiring.map(({ key }: { key?: string }) => key)).toContain('task')
    const sum = (series: readonly { totals: readonly number[] }[]): number =>
      series.reduce((total, { totals }) => total + (totals.at(-1) ?? 0), 0)
    expect(sum(json.growth.byKind)).toBe(json.entries)
    expect(sum(json.growth.byAgent)).toBe(json.entries)
    expect(json.unrecalled.since).toBeUndefined()
    expect(json.embeddings).toMatchObject({ loaded: false, entries: 0, pending: 0 })
  })

  it('refuses to remove what is not the sample', async () => {
    const { status, json } = await asker.ask('POST', '/sample/remove', {})
    expect([status, json.error.code]).toEqual([501, 'UNSUPPORTED'])
  })
})
