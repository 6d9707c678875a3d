/** Which kinds a person can add an entry of, and what each is for, in a line. */
import type { Workspace } from '../../../api/contract.ts'
import { KIND_NAMES, KINDS, type Kind } from '../../../model/kinds.ts'
import { countsOf } from './counts.ts'

export const KIND_MEANINGS: Readonly<Record<Kind, string>> = {
  topic: 'What all agents share, a page a topic.',
  memory: 'What the agent always has before it.',
  identity: 'Who the agent is.',
  note: 'Something with a name, to be found and rewritten.',
  fact: 'One thing that is so.',
  archive: 'What stands for a conversation that was condensed.',
  experience: "What happened, in today's log.",
  history: 'What was done, month by month.',
  conversation: 'What was said. Ends after 30 days.',
  context: 'What holds today, by its key. Ends with the day.',
}

/** Not what there is one of already, and not what only condensing writes. */
export function newKinds(workspace: Workspace, agent: string): readonly Kind[] {
  const counts = countsOf(workspace, agent, undefined)
  return KIND_NAMES.filter((kind) => {
    const { naming, rewritten } = KINDS[kind]
    if (rewritten === 'no' || (rewritten === 'gated' && !workspace.soulEditable)) return false
    return naming !== 'fixed' || (counts[kind] ?? 0) === 0
  })
}
