/** Thousands of damaged files: no crash, the rest is readable, and what is damaged stays as it is. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Memory } from '../../src/memory.ts'
import { filesystemStore } from '../../src/stores/filesystem/store.ts'
import { type Random, seededRandom } from '../../src/testing/random.ts'
import { isNightly } from '../tier.ts'

/** Ten thousand files in the nightly run. */
const WORKSPACES = isNightly ? 25 : 1
const FILES_EACH = 400

/** One good file of each shape, to be damaged. */
const SHAPES: readonly (readonly [folder: string, text: string])[] = [
  [
    'world',
    '---\nname: Deploy Process\naliases: [ship it, "C: x"]\nmetadata:\n  a: 1\n---\n\nWe deploy on Tuesdays.\n',
  ],
  [
    'agents/main/entries',
    '---\nname: NAME\ndescription: Before a release\nid: ID\ncreated: 2026-11-15T22:08:17.179Z\nmetadata:\n  b: {"c":[2]}\n---\n\nRun the tests.\n',
  ],
  ['agents/main/entries', '---\n# by hand\nname: NAME\ntags:\n  - a\n  - b\ncolour: {r: 1}\n---\nText.\n'],
  [
    'agents/main/daily',
    '# 2026-11-15\n\n## 21:32\n<!-- {"id":"ID"} -->\n\nThe database moved.\n\n## 21:33\n\nBy hand.\n',
  ],
  [
    'agents/main/context',
    '# 2026-11-15\n\n## 21:32\n<!-- {"id":"ID","key":"NAME","expires":"2999-11-16T00:00:00.000Z"} -->\n\nctx\n',
  ],
]

function damaged(random: Random, text: string): Buffer {
  const bytes = [...Buffer.from(text)]
  for (let blows = 1 + random.int(4); blows > 0; blows--) {
    const at = random.int(bytes.length + 1)
    const noise = Array.from({ length: 1 + random.int(6) }, () =>
      random.pick([0, 10, 34, 35, 45, 58, 91, 123, 255, random.int(256)]),
    )
    switch (random.int(4)) {
      case 0:
        bytes.splice(at, noise.length, ...noise)
        break
      case 1:
        bytes.splice(at, 0, ...noise)
        break
      case 2:
        bytes.splice(at, 1 + random.int(20))
        break
      default:
        bytes.length = Math.min(bytes.length, at)
    }
  }
  return Buffer.from(bytes)
}

function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.int(16).toString(16)).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

describe(`${WORKSPACES * FILES_EACH} damaged files`, () => {
  it('hurt nothing else, and stay as they are', { timeout: 240_000 }, async () => {
    const base = mkdtempSync(join(tmpdir(), 'keepsake-damage-'))
    try {
      for (let n = 0; n < WORKSPACES; n++) {
        const random = seededRandom(n)
        const root = join(base, `ws${n}`)
        const memory = new Memory(filesystemStore({ root, timezone: 'UTC' }), 'main', Date.now)
        await memory.learnFact('good topic', 'good')
        await memory.remember('good', { name: 'good note' })
        const harmed = new Map<string, Buffer>()
        for (let file = 0; file < FILES_EACH; file++) {
          const [folder, text] = random.pick(SHAPES)
          const name = folder.endsWith('daily') || folder.endsWith('context') ? day(file) : `file-${file}`
          const filled = text.replace('NAME', `name ${file}`).replace('ID', uuid(random))
          harmed.set(join(root, folder, `${name}.md`), damaged(random, filled))
        }
        for (const [path, bytes] of harmed) {
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, bytes)
        }
        const good = (await memory.list()).filter((entry) => entry.content === 'good')
        expect(good.map((entry) => entry.name)).toEqual(['good topic', 'good note'])
        await memory.recall()
        await memory.remember('after the damage')
        await memory.learnFact('good topic', 'better')
        await memory.remember('better', { name: 'good note' })
        for (const [path, bytes] of harmed) {
          if (path.endsWith(`${new Date().toISOString().slice(0, 10)}.md`)) continue // today's log is appended to
          expect(readFileSync(path).equals(bytes), path).toBe(true)
        }
        await memory.close()
        rmSync(join(root, '.state'), { recursive: true })
        const again = new Memory(filesystemStore({ root, timezone: 'UTC' }), 'main', Date.now)
        expect((await again.get('good note'))?.content).toBe('better')
        await again.remember('and on')
        await again.close()
        rmSync(root, { recursive: true })
      }
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  })
})

function day(index: number): string {
  return new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10)
}
