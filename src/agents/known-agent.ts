/** The agents that a memory knows: those that ever wrote to it. */
import { KeepsakeError } from '../errors.ts'
import type { Memory } from '../memory.ts'
import { nearest } from '../model/nearest.ts'

/** Also true if the agent's last entry is gone: that can be undone. */
export async function isKnownAgent({ store }: Pick<Memory, 'store'>, agent: string): Promise<boolean> {
  if ((await store.heads({ scopes: [agent] })).length > 0) return true
  const { sessions, history } = store.capabilities
  if (sessions === true && (await store.sessions.list(agent)).length > 0) return true
  return history === true && (await store.gone({ scopes: [agent] })).length > 0
}

/** No agent of this name ever wrote here. `known`: the agents that did, if the caller has listed them. */
export class UnknownAgentError extends KeepsakeError {
  constructor(agent: string, place = 'here', known: readonly string[] = []) {
    const near = nearest(agent, known)
    super('NOT_FOUND', `there is no agent "${agent}" ${place}`, {
      hint:
        near !== undefined
          ? `Did you mean "${near}"?`
          : known.length > 0
            ? `The agents are: ${known.join(', ')}.`
            : 'An agent exists once it has written an entry or a session.',
      data: { agent },
    })
  }
}
