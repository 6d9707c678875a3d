/** What makes vectors, as the configuration says. Nothing of it is loaded before it is wanted. */
import type { Config } from '../config/load-config.ts'
import type { MemoryOptions } from '../memory.ts'
import type { EmbedSource } from '../ports/embed.ts'

export interface EmbedOf {
  /** For openMemory. */
  readonly embed: NonNullable<MemoryOptions['embed']>
  /** Loads the model, off the way of whoever searches. A failure is silent here: a search by meaning tells it. */
  load(): Promise<void>
}

/** `unattended`: nobody chose this project's `agent.yaml` just now, so it does not decide where memories are sent to. */
export function embedOf({ values }: Config, { unattended }: { readonly unattended: boolean }): EmbedOf {
  const { embedding_model: model } = values
  if (model === 'none') return { embed: 'none', load: async () => undefined }
  let source: Promise<EmbedSource | undefined> | undefined
  const embed = (): Promise<EmbedSource | undefined> => {
    source ??= import('../embed/embed-source.ts').then(({ embedSource }) =>
      embedSource(model, { env: process.env, unattended }),
    )
    return source
  }
  const load = async (): Promise<void> => {
    await (await embed())?.load().catch(() => undefined)
  }
  return { embed, load }
}
