/**
 * Random damage to any file of a workspace: the doctor never throws, changes nothing, and mending loses nothing.
 */

import { cpSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../../../src/errors.ts'
import { type Random, seededRandom } from '../../../src/testing/random.ts'
import { isNightly } from '../../tier.ts'
import { Ward } from './ward.ts'

const DAMAGES = isNightly ? 200 : 50

function filesOf(ward: Ward): string[] {
  const names = readdirSync(ward.root, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => lstatSync(join(ward.root, name)).isFile()).sort()
}

function harm(ward: Ward, random: Random): void {
  const name = random.pick(filesOf(ward))
  const path = join(ward.root, name)
  const bytes = readFileSync(path)
  const at = random.int(bytes.length + 1)
  switch (random.int(6)) {
    case 0: {
      if (bytes.length > 0) bytes[at % bytes.length] = random.int(256)
      writeFileSync(path, bytes)
      break
    }
    case 1:
      writeFileSync(path, bytes.subarray(0, at))
      break
    case 2:
      rmSync(path)
      break
    case 3:
      cpSync(path, `${path.replace(/(\.\w+)?$/, '')} 2${/\.\w+$/.exec(path)?.[0] ?? ''}`)
      break
    case 4:
      writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1 + random.int(9)), bytes.subarray(at)]))
      break
    default:
      renameSync(path, join(ward.root, random.pick(['world', 'agents/main/entries', '.state/journal']), `x${at}.md`))
  }
}

describe(`${DAMAGES} random damages`, () => {
  it('are looked at without fail, and mended or refused', { timeout: 240_000 }, async () => {
    const original = await Ward.healthy()
    let found = 0
    let refused = 0
    for (let seed = 0; seed < DAMAGES; seed++) {
      const random = seededRandom(seed)
      const ward = new Ward()
      cpSync(original.root, ward.root, { recursive: true, verbatimSymlinks: true })
      for (let blows = 1 + random.int(3); blows > 0; blows--) harm(ward, random)
      const before = ward.hash()
      const { findings } = await ward.examine()
      found += findings.filter(({ code }) => code !== 'copied-journal').length
      expect(ward.hash(), `seed ${seed}`).toBe(before)
      // Each takes a backup with it; every tenth will do.
      if (seed % 10 === 0) refused += await mendedOrRefused(ward)
      rmSync(ward.folder, { recursive: true })
    }
    expect(found).toBeGreaterThan(DAMAGES / 2)
    expect(refused).toBeLessThan(DAMAGES / 10 / 2)
  })
})

async function mendedOrRefused(ward: Ward): Promise<number> {
  try {
    const texts = await ward.texts()
    const { examination } = await ward.mend()
    expect(await ward.texts()).toEqual(expect.arrayContaining(texts))
    expect(examination.findings.filter(({ fixable }) => fixable)).toEqual([])
    return 0
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return 1
  }
}
