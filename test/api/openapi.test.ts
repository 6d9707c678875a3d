/** docs/openapi.json against the server: it is what the routes say, and what the server answers is what it says. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { openapi } from '../../src/api/openapi.ts'
import { ROUTES } from '../../src/api/routes.ts'
import { SCHEMAS } from '../../src/api/schemas.ts'
import { servePage, type Visitor, visitor } from './served-page.ts'

const FILE = resolve(import.meta.dirname, '../../docs/openapi.json')
const VERSION = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')).version

interface Documented {
  readonly method: string
  readonly path: string
  readonly answer: string
}

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } })
ajv.addSchema({ $id: 'api', components: { schemas: SCHEMAS } })

function problems(name: string, value: unknown): unknown {
  const check = ajv.compile({ $ref: `api#/components/schemas/${name}` })
  return check(value) ? [] : check.errors
}

let asker: Visitor
let ids: { readonly deploys: string; readonly posters: string }

beforeAll(async () => {
  const served = await servePage({ removeSample: async () => undefined })
  asker = await visitor(served)
  const [deploys, posters] = await Promise.all(
    ['Deploys', 'Posters'].map(async (name) => (await served.memory.get(name))?.id),
  )
  ids = { deploys: deploys ?? '', posters: posters ?? '' }
})

/** One good request for each route; a route without one fails. */
const GOOD: Readonly<Record<string, () => readonly [path: string, body?: object]>> = {
  'GET /workspace': () => ['/workspace'],
  'GET /entries': () => ['/entries?sort=name&kinds=note&kinds=topic&limit=10'],
  'GET /entries/{id}': () => [`/entries/${ids.deploys}`],
  'POST /entries': () => ['/entries', { kind: 'fact', content: 'Made for the schema', metadata: { a: [1, null] } }],
  'PATCH /entries/{id}': () => [`/entries/${ids.deploys}`, { content: 'Run make ship twice.', expiresAt: null }],
  'DELETE /entries/{id}': () => [`/entries/${ids.posters}`],
  'POST /entries/{id}/aliases': () => [`/entries/${ids.deploys}/aliases`, { alias: 'shipping' }],
  'GET /search': () => ['/search?q=heron&explain=true&where=sure%3E%3D0.1&since=2020-01-01'],
  'GET /why-not': () => ['/why-not?q=heron&ref=Deploys'],
  'GET /timeline': () => ['/timeline'],
  'GET /sessions': () => ['/sessions'],
  'GET /sessions/{key}': () => ['/sessions/chat-1'],
  'GET /changes': () => ['/changes'],
  'POST /undo': () => ['/undo', {}],
  'POST /context': () => ['/context', { message: 'where is heron?' }],
  'GET /overview': () => ['/overview'],
  'GET /doctor': () => ['/doctor'],
  'GET /map': () => ['/map'],
  'POST /sample/remove': () => ['/sample/remove', {}],
}

describe('docs/openapi.json', () => {
  it('is what the routes say', async () => {
    await expect(`${JSON.stringify(openapi(VERSION), null, 2)}\n`).toMatchFileSnapshot(FILE)
  })

  it('is what the server itself shows', async () => {
    const { json } = await asker.get('/openapi.json')
    expect(Object.keys(json.paths)).toEqual(Object.keys(JSON.parse(readFileSync(FILE, 'utf8')).paths))
  })

  it('names only schemas that it has, and has none that nobody names', () => {
    const text = JSON.stringify(openapi(VERSION))
    const named = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name))
    expect([...named].sort()).toEqual(Object.keys(SCHEMAS).sort())
  })

  const documented: readonly Documented[] = ROUTES.map(({ method, path, answer }) => ({ method, path, answer }))

  it.each(documented)('tells what $method $path answers', async ({ method, path, answer }) => {
    const [target, body] = GOOD[`${method} ${path}`]?.() ?? ['/missing']
    const { status, json } = await asker.ask(method, target, body)
    expect([status, json.error]).toEqual([200, undefined])
    expect(problems(answer, json)).toEqual([])
  })

  it.each([
    ['GET', '/entries/nobody', undefined, 404],
    ['GET', '/search', undefined, 400],
    ['GET', '/search?q=', undefined, 400],
    ['GET', '/entries?limit=0', undefined, 400],
    ['GET', '/entries?nonsense=1', undefined, 400],
    ['POST', '/entries', { kind: 'note', content: '' }, 400],
    ['POST', '/entries', { kind: 'nothing', content: 'x' }, 400],
    ['POST', '/undo', { changes: [99_999] }, 404],
    ['GET', '/workspace/nothing', undefined, 404],
    ['GET', '/sessions/nobody', undefined, 404],
    ['GET', '/entries?agent=nobody', undefined, 404],
  ])('tells how %s %s fails', async (method, path, body, expected) => {
    const { status, json } = await asker.ask(method, path, body)
    expect(status).toBe(expected)
    expect(problems('Failure', json)).toEqual([])
  })

  it('would notice an answer that is not as it says', () => {
    expect(problems('Done', { done: 'yes' })).not.toEqual([])
    expect(problems('Done', { done: true, more: 1 })).not.toEqual([])
  })
})
