/**
 * What a transcript shows to have come from this memory: our marked blocks, by whatever hook or tool, and the answers of our own
 * tools. Whoever says that again says nothing new, also where another session was given it.
 */
import { injectedIn } from '../../model/injected.ts'

/** As the clients name a tool of the server that `install` sets up. */
const OUR_TOOL = /^(?:mcp__keepsake__|mcp_keepsake_)/

export class Given {
  readonly #texts = new Set<string>()

  get texts(): string[] {
    return [...this.#texts]
  }

  /** Of a text that the model was given, whoever put it together. */
  addBlocks(text: string): void {
    for (const block of injectedIn(text)) this.#texts.add(block)
  }

  addResult(tool: string | undefined, text: string): void {
    if (tool === undefined || !OUR_TOOL.test(tool)) this.addBlocks(text)
    else if (text.trim() !== '') this.#texts.add(readable(text))
  }
}

/** Some clients give a model the data of an answer in the place of its text: then it is what stands in that. */
function readable(text: string): string {
  const from = text.search(/^[{[]/m)
  if (from === -1) return text
  try {
    const texts: string[] = []
    // The reviver is called for each value there is, however deep.
    JSON.parse(text.slice(from), (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value)
      return value
    })
    return texts.join('\n\n')
  } catch {
    return text
  }
}
