// Models without chance for the tests of condensing: what is learnt from a conversation can be told from its turns.

/** So much that a few words in its place are taken for a loss. */
export const FACTS = ['# Facts', '- fact: the tests have a memory to begin with', '- fact: it is longer than one line']
export const LITTLE = '- fact: little'

export const toldOf = (numbers) => `Talked of ${numbers.join(', ')}.`
export const learntOf = (numbers) => `- learnt of ${numbers.join(', ')}`

/** MEMORY.md after what was said was learnt: each a list of the numbers of the questions. */
export function memoryWith(...learnt) {
  return [...FACTS, ...learnt.map(learntOf)].join('\n')
}

/** Reads in the prompt what is known and what was asked. */
export async function goodModel(prompt) {
  const [numbers, lines] = [questionsIn(prompt), prompt.match(/^(# Facts|- (fact|learnt).*)$/gm) ?? []]
  const memory = [...(lines.length > 0 ? lines : FACTS), learntOf(numbers)]
  return { content: JSON.stringify({ history_entry: toldOf(numbers), memory_update: memory.join('\n') }) }
}

export async function shrinkingModel(prompt) {
  return { content: JSON.stringify({ history_entry: toldOf(questionsIn(prompt)), memory_update: LITTLE }) }
}

export async function failingModel() {
  throw new Error('no model answers')
}

export function questionsIn(text) {
  return [...text.matchAll(/The question with the number (\S+)\./g)].map(([, number]) => number)
}
