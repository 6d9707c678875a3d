/** Where vectors come from, by configuration: nothing before it is wanted, one for all, and nothing for servers of strangers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { embedSource } from '../../src/embed/embed-source.ts'
import type { EmbeddingModel } from '../../src/embed/embedding-model.ts'
import { embeddingsFolder } from '../../src/embed/embeddings-folder.ts'
import { LaterEmbed } from '../../src/embed/later-embed.ts'
import type { Embed } from '../../src/ports/embed.ts'
import { afterThisFile } from '../clean-up.ts'
import { refusalOf } from '../config/files.ts'
import { embeddingServer } from './embedding-server.ts'

function server(more: Partial<EmbeddingModel> = {}): EmbeddingModel {
  return { model: 'm', base_url: null, api_key_env: null, dimensions: null, ...more }
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-embed-'))
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a source of vectors', () => {
  it('is none where none is wanted', () => {
    expect(embedSource('none', { env: {} })).toBeUndefined()
  })

  it('is refused where its name is not known', () => {
    expect(() => embedSource('text-embedding-3-small', { env: {} })).toThrow(
      expect.objectContaining({ code: 'INVALID', hint: expect.stringContaining('all-MiniLM-L6-v2, none, or {model') }),
    )
  })

  it('is the model of this machine, which is loaded when it is first wanted, once, and gives what is published', async () => {
    const source = embedSource('all-MiniLM-L6-v2', { env: {}, folder: freshFolder() })
    expect([source?.model, source?.loaded]).toEqual(['all-MiniLM-L6-v2', undefined])
    const [one, other] = await Promise.all([source?.load(), source?.load()])
    expect(one).toBe(other)
    expect(source?.loaded).toBe(one)
    expect(one?.model).toBe(source?.model)
    const [vector] = (await one?.embed(['This is an example sentence'])) ?? []
    const published = [0.0677, 0.0635, 0.0487, 0.0793]
    for (const [place, number] of published.entries())
      expect(Math.abs((vector?.[place] ?? 0) - number)).toBeLessThan(2e-4)
    await source?.close()
  })

  it.each([
    [server(), {}, 'm@api.openai.com/v1'],
    [server(), { OPENAI_BASE_URL: 'http://localhost:11434/v1' }, 'm@localhost:11434/v1'],
    [server({ base_url: 'https://host.example/v1/' }), {}, 'm@host.example/v1'],
    [server({ base_url: 'https://host.example/v1/embeddings' }), {}, 'm@host.example/v1'],
    [server({ base_url: 'https://host.example/other/v1?key=secret' }), {}, 'm@host.example/other/v1'],
    [server({ base_url: 'http://host.example/v1' }), {}, 'm@host.example:80/v1'],
    [server({ base_url: 'http://[::1]:8080' }), {}, 'm@[::1]:8080'],
    [
      server({ base_url: 'https://host.example/v1', dimensions: 256 }),
      { OPENAI_BASE_URL: 'http://x' },
      'm@host.example/v1#256',
    ],
  ])('that is a server is called by its model and its address: %j with %j', (model, env, name) => {
    expect(embedSource(model, { env })?.model).toBe(name)
  })

  it('that is a server of the environment is asked without a key', async () => {
    const { url, requests } = await embeddingServer()
    const embed = await embedSource(server(), { env: { OPENAI_BASE_URL: url } })?.load()
    expect(await embed?.embed(['one'])).toHaveLength(1)
    expect(requests).toHaveLength(1)
  })

  it('that is a server gets the key of the variable that is named, and its vectors are called as the source is', async () => {
    const { url, requests } = await embeddingServer()
    const model = server({ base_url: url, api_key_env: 'MY_KEY', dimensions: 3 })
    const source = embedSource(model, { env: { MY_KEY: ' abc ', OPENAI_API_KEY: 'other' } })
    const embed = await source?.load()
    expect(requests).toEqual([])
    expect((await embed?.embed(['one']))?.[0]).toHaveLength(3)
    expect(requests[0]?.headers.authorization).toBe('Bearer abc')
    expect(embed?.model).toBe(source?.model)
    await source?.close()
    expect((await refusalOf(embed?.embed(['two']) ?? Promise.resolve())).code).toBe('CLOSED')
  })

  it('that needs a key says which variable it wants, and looks again', async () => {
    const env: Record<string, string> = {}
    const source = embedSource(server({ api_key_env: 'MY_KEY' }), { env })
    const { code, message, hint } = await refusalOf(source?.load() ?? Promise.resolve())
    expect([code, message]).toEqual(['NO_EMBEDDINGS', 'the embedding model m needs a key, and MY_KEY is not set'])
    expect(hint).toContain('MY_KEY')
    env['MY_KEY'] = 'abc'
    expect((await source?.load())?.model).toBe('m@api.openai.com/v1')
  })

  it.each([
    [server({ base_url: 'https://elsewhere.example/v1' }), {}, 'its base_url leads to elsewhere.example'],
    [server({ base_url: 'http://localhost.elsewhere.example' }), {}, 'localhost.elsewhere.example'],
    [server({ api_key_env: 'AWS_SECRET' }), { AWS_SECRET: 'x' }, 'its api_key_env is not OPENAI_API_KEY'],
  ])('of a project is not asked where nobody looks on: %j', async (model, env, why) => {
    const { code, message } = await refusalOf(
      embedSource(model, { env, unattended: true })?.load() ?? Promise.resolve(),
    )
    expect([code, message]).toEqual(['NO_EMBEDDINGS', expect.stringContaining(why)])
    expect(message).toContain('is not asked unattended')
    const attended = embedSource({ ...model, base_url: model.base_url ?? 'http://localhost' }, { env })
    expect((await attended?.load())?.model).toBe(attended?.model)
  })

  it.each([
    [server({ base_url: 'http://127.0.0.1:9/v1' }), {}],
    [server({ base_url: 'https://mine.example/v1/' }), { OPENAI_BASE_URL: 'https://mine.example/v1' }],
    [server({ api_key_env: 'OPENAI_API_KEY' }), { OPENAI_API_KEY: 'x' }],
  ])('that is the user’s own is asked all the same: %j', async (model, env) => {
    expect(await embedSource(model, { env, unattended: true })?.load()).toBeDefined()
  })

  it('lies in the home folder', () => {
    expect(embeddingsFolder()).toMatch(/[\\/](\.cache|Local)[\\/]keepsake$/)
  })
})

describe('a model that is opened later', () => {
  function counting(): { opened: number; closed: number; open: () => Promise<Embed> } {
    const counts = {
      opened: 0,
      closed: 0,
      open: async (): Promise<Embed> => {
        counts.opened += 1
        return {
          model: 'm',
          embed: async () => [],
          close: async () => {
            counts.closed += 1
          },
        }
      },
    }
    return counts
  }

  it('goes on for the others when one no longer waits', async () => {
    const counts = counting()
    let go = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const source = new LaterEmbed('m', async () => {
      await gate
      return counts.open()
    })
    const impatient = new AbortController()
    const [first, second] = [source.load({ signal: impatient.signal }), source.load()]
    impatient.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    go()
    expect((await second).model).toBe('m')
    expect(counts.opened).toBe(1)
  })

  it('is closed also when it is opened at that very moment, and not opened again', async () => {
    const counts = counting()
    const source = new LaterEmbed('m', counts.open)
    const loading = source.load()
    await source.close()
    await loading
    expect([counts.opened, counts.closed, source.loaded]).toEqual([1, 1, undefined])
    expect((await refusalOf(source.load())).code).toBe('CLOSED')
  })
})
