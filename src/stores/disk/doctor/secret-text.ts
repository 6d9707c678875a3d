/** What is said of keys and passwords in plain sight: never what was found, only its first four characters and its length. */
import { findSecrets, type Secret } from './secret-patterns.ts'

const SHOWN_CHARACTERS = 4
const MOST_A_TEXT = 20

/** Each with the sentence that tells of it. */
export function toldSecrets(text: string): { readonly secret: Secret; readonly problem: string }[] {
  return findSecrets(text)
    .slice(0, MOST_A_TEXT)
    .map((secret) => ({ secret, problem: describe(text, secret) }))
}

function describe(text: string, { what, start, text: secret }: Secret): string {
  const line = text.slice(0, start).split('\n').length
  return `line ${line}: what looks like ${what} (${secret.slice(0, SHOWN_CHARACTERS)}…, ${secret.length} characters)`
}
