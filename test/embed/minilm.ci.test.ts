/** The model itself, in this thread: that its vectors are those of the real all-MiniLM-L6-v2, however they are made. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { batchesOf } from '../../src/embed/minilm/batches.ts'
import { MINILM } from '../../src/embed/minilm/model-files.ts'
import { type MiniLm, openMiniLm } from '../../src/embed/minilm/open-minilm.ts'
import { isNightly, PUBLIC_DATA } from '../tier.ts'
import { cosine, spearman } from './compare.ts'

/** From the model card, in single precision. */
const PUBLISHED = [6.7657e-2, 6.3496e-2, 4.8713e-2, 7.9305e-2, 3.7448e-2, 2.6528e-3]

const ODD_TEXTS: readonly (readonly [string, string])[] = [
  ['plain', 'This is an example sentence'],
  ['empty', ''],
  ['blanks', '   \t  '],
  ['a lone newline', '\n'],
  ['emoji', '🚀 deploy 🎉 👩‍👩‍👧‍👦'],
  ['CJK', '東京は日本の首都です。我喜欢吃苹果 안녕하세요'],
  ['rare ideographs', '𠀀𪛖 a𫝀b 𫤠𬺡 丽'],
  ['right to left', 'שלום עולם مرحبا بالعالم'],
  ['control characters', 'a\u0000b\u0007c\u001b[31mred\u200b zero\u200d \ufeff\u0085'],
  ['half a surrogate pair', 'half \ud83d of it'],
  ['special tokens', '[CLS] hello [SEP] [MASK] [PAD]'],
  ['capital sigma at the end of a word', 'ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΙΣΥΦΟΣ'],
  ['accents and ligatures', 'naïve café İstanbul ß ﬁ e\u0301\u0301 ½ ²'],
  ['code', 'const x = (a) => { return a ** 2 } // https://example.com/a_b?c=1&d=%20'],
  ['10,000 characters without a blank', 'x'.repeat(10_000)],
  ['600 words', Array.from({ length: 600 }, (_, i) => `item${(i * 37) % 101}`).join(' ')],
]
const TEXTS = ODD_TEXTS.map(([, text]) => text)

let native: MiniLm

beforeAll(async () => {
  native = await openMiniLm({ engine: 'native', inThread: true })
})
afterAll(() => native.close())

async function one(model: MiniLm, text: string): Promise<Float32Array> {
  return (await model.embed([text]))[0] as Float32Array // one for each text
}

describe(MINILM, () => {
  it('gives the published values', async () => {
    const vector = await one(native, 'This is an example sentence')
    expect(vector).toHaveLength(384)
    PUBLISHED.forEach((value, i) => {
      expect(Math.abs((vector[i] ?? 0) - value)).toBeLessThan(2e-4)
    })
  })

  it('gives finite vectors of length 1, in the order of the texts, alike in a batch and alone', async () => {
    const together = await native.embed(TEXTS)
    for (const [i, text] of TEXTS.entries()) {
      const alone = await one(native, text)
      expect(Math.abs(cosine(alone, alone) - 1)).toBeLessThan(1e-5)
      expect(cosine(alone, together[i] as Float32Array)).toBeGreaterThan(0.99999)
    }
  })

  it('gives the same vectors by WASM', async () => {
    const wasm = await openMiniLm({ engine: 'wasm', inThread: true })
    const [expected, got] = [await native.embed(TEXTS), await wasm.embed(TEXTS)]
    await wasm.close()
    const differing = ODD_TEXTS.filter((_, i) => {
      return !(cosine(expected[i] as Float32Array, got[i] as Float32Array) > 0.99999)
    })
    expect(differing.map(([name]) => name)).toEqual([])
  })

  it('reads 256 tokens, the first and the last included, and no more', async () => {
    const words = (count: number): string => 'word '.repeat(count)
    expect(cosine(await one(native, words(254)), await one(native, `${words(254)} heron`))).toBeGreaterThan(0.999999)
    expect(cosine(await one(native, words(254)), await one(native, `${words(253)} heron`))).toBeLessThan(0.9999)
  })

  it('reads no more of a long text than it needs', async () => {
    const prose = 'The heron stands in the shallow water and waits for fish. '
    // To read all of it takes longer than the timeout allows.
    const vector = await one(native, prose.repeat(2_000_000))
    expect(cosine(vector, await one(native, prose.repeat(40)))).toBeGreaterThan(0.999999)
    const late = `${' '.repeat(100_000)}heron`
    expect(cosine(await one(native, late), await one(native, 'heron'))).toBeGreaterThan(0.999999)
  })

  it('embeds nothing', async () => {
    expect(await native.embed([])).toEqual([])
  })

  it('stops between batches when it is told to', async () => {
    const controller = new AbortController()
    const texts = Array.from({ length: 200 }, (_, i) => `${i} herons wait in the shallow water`)
    const call = native.embed(texts, { signal: controller.signal })
    await one(native, 'a turn later')
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })
})

describe('a batch', () => {
  it('is of like length, small, and every text is in one', () => {
    const texts = Array.from({ length: 500 }, (_, i) => 'x'.repeat((i * 7919) % 1200))
    const batches = batchesOf(texts)
    expect(batches.flat().sort((a, b) => a - b)).toEqual([...texts.keys()])
    const lengths = batches.map((places) => places.map((place) => texts[place]?.length ?? 0))
    expect(Math.max(...lengths.map((each) => each.length))).toBe(16)
    lengths.slice(1).forEach((each, i) => {
      expect(Math.max(...each)).toBeLessThanOrEqual(Math.min(...(lengths[i] ?? [])))
    })
  })
})

const EVERY = isNightly ? 1 : 20

it('knows which sentences mean the same', { timeout: 600_000 }, async ({ skip }) => {
  skip(!existsSync(PUBLIC_DATA), 'there is no ../shared/data/dev to measure with')
  const pairs = rowsOf(readFileSync(join(PUBLIC_DATA, 'stsb-en-dev.csv'), 'utf8')).filter((_, i) => i % EVERY === 0)
  const first = await native.embed(pairs.map(([a = '']) => a))
  const second = await native.embed(pairs.map(([, b = '']) => b))
  const cosines = first.map((vector, i) => cosine(vector, second[i] as Float32Array))
  const rho = spearman(
    cosines,
    pairs.map(([, , score]) => Number(score)),
  )
  console.log(`STS-B dev, ${pairs.length} pairs: Spearman ${rho.toFixed(4)}`)
  expect(rho).toBeGreaterThanOrEqual(0.86)
})

/** Rows of three fields, of which some are quoted. */
function rowsOf(csv: string): string[][] {
  return csv
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|\r?$)/g)].map(([, field = '']) => unquoted(field)))
}

function unquoted(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field
}
