import { expect, test } from 'vitest'
import { wordsOf } from './words.ts'

// One letter of another alphabet, and all is read by the patterns for all scripts.
test.each(['See §4, and §12b', 'A → B ← C ↑ D ↓ 9', '“Quoted” — it’s a test… 3–4', 'a§b→c'])(
  'in %j are the same words, whether it is read as plain text or not',
  (text) => {
    const words = wordsOf(text)
    expect(words.length).toBeGreaterThan(1)
    expect(wordsOf(`${text} λ`).slice(0, -1)).toEqual(words)
  },
)
