/** Which command a call is of, also where its options can't be understood: what it is told of that may depend on it. */
import { parseLeading } from './arguments.ts'
import { GLOBAL_OPTIONS } from './global-options.ts'
import { VERBS } from './verbs.ts'

export function verbMeant(args: readonly string[]): string | undefined {
  try {
    return parseLeading(args, GLOBAL_OPTIONS).rest[0]
  } catch {
    return args.find((arg) => VERBS.has(arg))
  }
}
