/** What the parts of a prompt are called, and what they are. */
import type { PartName } from '../../../prompt/part.ts'

export const PART_NAMES: Readonly<Record<PartName, { readonly name: string; readonly is: string }>> = {
  identity: { name: 'Identity', is: 'Who the agent is: its identity file, or a sentence that names it.' },
  directive: { name: 'Directive', is: 'How to use the memory, with the names of the tools.' },
  memory: { name: 'Memory', is: 'What is always known: MEMORY.md.' },
  recap: { name: 'Recap', is: 'What was said before, where a client starts anew.' },
  recall: { name: 'Recall', is: 'What was found for the message; made anew for every turn.' },
}

/** Of the section that shows it. */
export function partId(part: PartName): string {
  return `part-${part}`
}
