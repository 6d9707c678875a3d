/**
 * How commands and a running server of the same workspace find each other: by the workspace, the program's version and the user; and
 * what both must be set up with alike for one to search in the place of the other.
 */
import type { Config } from '../config/load-config.ts'
import { askLocal } from '../local/ask-local.ts'
import type { LocalPlace } from '../local/socket-place.ts'
import type { MemoryOptions } from '../memory.ts'
import { programVersion } from './version.ts'

/** `undefined`: there is nothing that another process could see, or nothing that it could do better. */
export function localPlace({ values }: Config): LocalPlace | undefined {
  const { backend, workspace, embedding_model: model } = values
  if (backend === 'memory' || model === 'none') return undefined
  return {
    root: workspace,
    // Only where there is a server to be asked for: it stands in a file.
    get version() {
      return programVersion()
    },
    user: process.geteuid?.(),
    runtimeFolder: process.env['XDG_RUNTIME_DIR'] || undefined,
  }
}

export function setupOf({ values }: Config): string {
  return JSON.stringify([values.language, values.embedding_model])
}

/** A server that runs searches by meaning too; where none does, it costs one look. */
export function elsewhereOf(config: Config): Pick<MemoryOptions, 'elsewhere'> {
  return {
    elsewhere: async (query, options, agent) => {
      const place = localPlace(config)
      // Another process looks for itself, and has another clock.
      const { signal, askedAtMs: _, ...said } = options
      const question = { setup: setupOf(config), agent, query, options: said }
      return place && askLocal(place, question, signal ? { signal } : {})
    },
  }
}
