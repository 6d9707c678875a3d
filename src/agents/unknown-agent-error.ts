/** Nobody of this name ever wrote here. */
import { KeepsakeError } from '../errors.ts'

export class UnknownAgentError extends KeepsakeError {
  constructor(agent: string) {
    super('NOT_FOUND', `there is no agent "${agent}" here`, {
      hint: 'An agent is there from its first entry or its first session on.',
      data: { agent },
    })
  }
}
