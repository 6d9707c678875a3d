/**
 * What a text is made of, as numbers: runs of a few words, hashed. A text that is mostly made of runs that were injected is an
 * echo, whatever was done to it on the way: only the words and their order count, so marks, decoration, case, blanks and line
 * breaks say nothing. Pure; its time is proportional to the length of the text.
 */
import { UNPARTED_SCRIPTS } from '../model/unparted-scripts.ts'

const WORD = 2
/** Of a script that does not part words: two of them are about a word. */
const CHARACTER = 1

/**
 * A run is six words. On real chats (test/session/echo-rates.test.ts) people say four by chance so often that 2 % of what is
 * new would be held back; with six it is 0.2 %, and no whole text and 1 % of the halves of texts slip through.
 */
const RUN = 6 * WORD
/** Runs begin at every second word of a line: a part of the text has them all but for a word at its ends. */
const STEP = 2
/**
 * Runs of one text, and its short lines: about what the largest block has, so that a line is printed the same when others
 * change. A longer text is printed at every fourth word, or sixth, and so on.
 */
const MOST_PRINTS = 4000

/** An echo is more than half of the words. */
const ECHOED = 0.5
/** But who says so much besides has something new to say, in a long text in which code or a quote is repeated. */
const NEW = 40 * WORD
const NEW_SHARE = 0.2
/** In fewer words a run may be there by chance: eight words are about a short sentence. */
const TELLING = 8 * WORD
/**
 * A short text is an echo only as a whole line or sentence, with or without the line above; and not even that below three
 * words: everybody says "yes, please".
 */
const SHORTEST_LINE = 3 * WORD

/** The prints of a text that is injected, each once. */
export function fingerprintsOf(text: string): number[] {
  const words: Word[] = []
  const starts: number[] = []
  const shortLines = new Set<number>()
  let above: readonly Word[] = []
  for (const line of text.split('\n')) {
    const own = wordsOf(line)
    if (own.length === 0) continue
    for (let at = 0; at < own.length; at += STEP) starts.push(words.length + at)
    for (const word of own) words.push(word)
    for (const part of [own, [...above, ...own], ...sentencesOf(line).map(wordsOf)]) {
      if (isShort(part)) shortLines.add(wholePrint(part))
    }
    above = own
  }
  const prints = new Set([...shortLines].slice(0, MOST_PRINTS))
  const every = Math.ceil(starts.length / MOST_PRINTS)
  for (const [n, start] of starts.entries()) {
    const run = n % every === 0 ? runAt(words, start) : undefined
    if (run) prints.add(run.print)
  }
  return [...prints]
}

/** Whether it is mostly made of what these prints are of; or, of a short text, wholly. */
export function isEcho(text: string, prints: ReadonlySet<number>): boolean {
  const words = wordsOf(text)
  const weight = weightOf(words)
  if (weight < SHORTEST_LINE) return false
  if (weight < TELLING) return prints.has(wholePrint(words))
  let covered = 0
  let end = 0
  for (let at = 0; at < words.length; at++) {
    const run = runAt(words, at)
    if (!run || !prints.has(run.print)) continue
    for (let i = Math.max(at, end); i < run.end; i++) covered += words[i]?.weight ?? 0
    end = run.end
  }
  const added = weight - covered
  return covered >= TELLING && covered > weight * ECHOED && added <= Math.max(NEW, weight * NEW_SHARE)
}

function isShort(words: readonly Word[]): boolean {
  const weight = weightOf(words)
  return weight >= SHORTEST_LINE && weight < TELLING
}

interface Word {
  readonly hash: number
  readonly weight: number
}

const WORDS = /[\p{L}\p{N}]+/gu
const IS_UNPARTED = new RegExp(`[${UNPARTED_SCRIPTS}]`, 'u')
const CHARACTERS_AND_REST = new RegExp(`[${UNPARTED_SCRIPTS}]|[^${UNPARTED_SCRIPTS}]+`, 'gu')
/** Accents may be written as characters of their own, and what joins or hides is not seen. */
const UNSEEN = /[\p{M}\p{Cf}]/gu

/** Up and down again: the capitals of `ß` are `SS`. */
function wordsOf(text: string): Word[] {
  const folded = text.normalize('NFKD').toUpperCase().toLowerCase().replace(UNSEEN, '').normalize('NFC')
  const words: Word[] = []
  for (const [word] of folded.matchAll(WORDS)) {
    if (!IS_UNPARTED.test(word)) words.push({ hash: hashOf(word), weight: WORD })
    else {
      for (const [part] of word.matchAll(CHARACTERS_AND_REST)) {
        words.push({ hash: hashOf(part), weight: IS_UNPARTED.test(part) ? CHARACTER : WORD })
      }
    }
  }
  return words
}

function sentencesOf(line: string): string[] {
  return line.split(/[.!?](?=\s)|[\u3002\uff01\uff1f]/)
}

function weightOf(words: readonly Word[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0)
}

/** The run that begins here; none where the text ends before it. */
function runAt(words: readonly Word[], start: number): { readonly print: number; readonly end: number } | undefined {
  let weight = 0
  let print = 0
  for (let at = start; at < words.length; at++) {
    const word = words[at] as Word // below the length
    print = mixed(print, word.hash)
    weight += word.weight
    if (weight >= RUN) return { print: print >>> 0, end: at + 1 }
  }
  return undefined
}

/** A line is printed differently from a run of the same words. */
function wholePrint(words: readonly Word[]): number {
  return words.reduce((print, { hash }) => mixed(print, hash), words.length) >>> 0
}

function mixed(print: number, hash: number): number {
  const sum = Math.imul(print ^ hash, 0x9e3779b1)
  return (sum ^ (sum >>> 15)) + 0x85ebca6b
}

/** FNV-1a over UTF-16 units. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}
