/**
 * What a transcript shows to have come from this memory: our marked blocks, by whatever hook or tool, and the answers of our own
 * tools. Whoever says that again says nothing new, also where another session was given it.
 */
import { injectedIn } from '../../model/injected.ts'
import { isOwnTool } from '../../model/own-results.ts'
import { parseInstant } from '../../model/time.ts'
import { shownText } from '../shown-text.ts'
import type { GivenText } from '../turn-input.ts'

export class Given {
  /** With the time at which each was given first. */
  readonly #texts = new Map<string, string | undefined>()

  get texts(): GivenText[] {
    return [...this.#texts].map(([text, at]) => ({ text, ...(at === undefined ? {} : { at }) }))
  }

  /** Of a text that the model was given, whoever put it together. */
  addBlocks(text: string, timestamp: unknown): void {
    for (const block of injectedIn(text)) this.#add(block, timestamp)
  }

  addResult(tool: string | undefined, text: string, timestamp: unknown): void {
    if (tool === undefined || !isOwnTool(tool)) this.addBlocks(text, timestamp)
    else if (text.trim() !== '') this.#add(shownText(text), timestamp)
  }

  #add(text: string, timestamp: unknown): void {
    if (!this.#texts.has(text)) this.#texts.set(text, parseInstant(timestamp))
  }
}
