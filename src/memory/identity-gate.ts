/**
 * The identity is written by its owner's hand, unless the owner has said that the agent may. Every write of every interface
 * comes past here, so that there is no way around it. What hands do to the file is not asked about.
 */
import { KeepsakeError } from '../errors.ts'
import type { Kind } from '../model/kinds.ts'

/** `kinds`: of all that a write is about to touch. */
export type IdentityGate = (kinds: Iterable<Kind | undefined>) => void

export function identityGate(soulEditable: boolean): IdentityGate {
  return (kinds) => {
    if (soulEditable) return
    for (const kind of kinds) if (kind === 'identity') throw refusal()
  }
}

function refusal(): KeepsakeError {
  return new KeepsakeError('READ_ONLY', 'the identity is not written: soul_editable is false', {
    hint: 'Edit its file by hand, or write "soul_editable: true" in spec.memory of agent.yaml.',
    data: { kind: 'identity' },
  })
}
