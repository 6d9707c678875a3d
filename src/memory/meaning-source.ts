/**
 * Where a memory's vectors come from: given by a program, or as the configuration says, which is looked at when a search first
 * wants them. Only what was made here is ended here.
 */
import type { Embed, EmbedSource } from '../ports/embed.ts'
import { memoryClosed } from './under-way.ts'

/** `undefined`: there is none, and search goes by words. */
export interface MeaningSource {
  readonly find: () => Promise<EmbedSource | undefined>
  /** For who will not wait, not even for what finding it loads: missing until somebody has waited. */
  readonly found: () => EmbedSource | undefined
  readonly close: () => Promise<void>
}

/** A function is asked once, when vectors are first wanted. `none`: by words, whatever the configuration says. */
export type GivenEmbed = EmbedSource | Embed | (() => Promise<EmbedSource | undefined>) | 'none'

/** What a program made and gave, it ends itself; what a function makes for us, we end. */
export function givenSource(given: GivenEmbed): MeaningSource | undefined {
  if (given === 'none') return undefined
  if (typeof given === 'function') return laterSource(given)
  const source = 'load' in given ? given : loadedSource(given)
  return { find: async () => source, found: () => source, close: async () => undefined }
}

export function laterSource(make: () => Promise<EmbedSource | undefined>): MeaningSource {
  let made: Promise<EmbedSource | undefined> | undefined
  let source: EmbedSource | undefined
  let isClosed = false
  return {
    find: async () => {
      if (isClosed) throw memoryClosed()
      made ??= make().then((found) => {
        source = found
        return found
      })
      return made
    },
    found: () => source,
    close: async () => {
      isClosed = true
      // What could not be made was told to who asked for it.
      const source = await made?.catch(() => undefined)
      await source?.close()
    },
  }
}

function loadedSource(embed: Embed): EmbedSource {
  return { model: embed.model, loaded: embed, load: async () => embed, close: async () => undefined }
}
