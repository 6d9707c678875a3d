/** The failure of a command that gives an agent its memory, where `agent.yaml` says that its agents have none. */
import { KeepsakeError } from '../errors.ts'

export function withoutMemory(file: string): KeepsakeError {
  return new KeepsakeError('UNSUPPORTED', `${file} gives its agents no memory: it has no spec.memory`, {
    hint: 'To give them one, write into that file:\nspec:\n  memory: {}',
    data: { file },
  })
}
