/**
 * From a text to the numbers of its tokens, at most 256 of them, as the model was trained. The file's own settings cut and pad
 * at 128, so they are taken out.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { folderOf, type Packages, readModelFile } from './model-files.ts'

/** What is used of @huggingface/tokenizers. */
interface TokenizersPackage {
  readonly Tokenizer: new (tokenizer: object, config: object) => { encode(text: string): { readonly ids: number[] } }
}

export type Tokenize = (text: string) => readonly number[]

export const MOST_TOKENS = 256
const END = 102

/** A word longer than this is one unknown token, so cut in two it gives at most so many tokens that were not there. */
const LONGEST_WORD = 100
const FIRST_CHARACTERS = 4_000

/** Ideographs beyond the first 65,536 characters: each is a word of its own, which the package knows only of the others. */
const RARE_IDEOGRAPHS = /[\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu

export function openTokenizer(packages: Packages): Tokenize {
  const path = join(folderOf('@huggingface/tokenizers', packages), 'dist/tokenizers.cjs')
  const { Tokenizer } = createRequire(import.meta.url)(path) as TokenizersPackage // the version is pinned
  const settings = JSON.parse(readModelFile('tokenizer', packages).toString('utf8'))
  const tokenizer = new Tokenizer({ ...settings, truncation: null, padding: null }, {})
  return (text) => cut(firstTokens(text, (part) => tokenizer.encode(alike(part)).ids))
}

/**
 * What the package does in another way than the model's own tokenizer, which is also the one of WASM. Capital sigma: JavaScript
 * makes a small one of it by where it stands in the word, the model's tokenizer letter by letter.
 */
function alike(text: string): string {
  return text.toWellFormed().replaceAll('Σ', 'σ').replaceAll(RARE_IDEOGRAPHS, ' $& ')
}

/** Of a long text only the beginning is looked at, as far as needed. */
function firstTokens(text: string, encode: (text: string) => readonly number[]): readonly number[] {
  for (let characters = FIRST_CHARACTERS; characters < text.length; characters *= 4) {
    const tokens = encode(text.slice(0, characters))
    if (tokens.length > MOST_TOKENS + LONGEST_WORD) return tokens
  }
  return encode(text)
}

function cut(tokens: readonly number[]): readonly number[] {
  return tokens.length <= MOST_TOKENS ? tokens : [...tokens.slice(0, MOST_TOKENS - 1), END]
}
