/** What stands above each prompt: who is asked, how much of the conversation counts, how much is remembered, and whose it is. */
import type { Memory } from '../../memory.ts'
import { turnsPhrase } from '../session-text.ts'

export interface Status {
  readonly memory: Memory
  readonly session: string
  readonly model: string
  /** Where it is, unless that is its provider's own place. */
  readonly host: string | undefined
}

/** `llama3 at 127.0.0.1:11434 · 12 turns · memory 1.4 kB · main · chat-1` */
export async function statusLine({ memory, session, model, host }: Status): Promise<string> {
  const [{ turns }, page] = await Promise.all([memory.session(session).view(), memory.get('MEMORY')])
  const size = new TextEncoder().encode(page?.content ?? '').length
  const asked = host === undefined ? model : `${model} at ${host}`
  return [asked, turnsPhrase(turns.length), `memory ${sizeText(size)}`, memory.agent, session].join(' · ')
}

function sizeText(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`
}
