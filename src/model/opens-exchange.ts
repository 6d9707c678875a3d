/** Where an exchange of a conversation begins: with what a user says. A message that only holds what we injected was said by nobody. Pure. */
import { withoutInjected } from './injected.ts'

export function opensExchange({ role, content }: { readonly role: string; readonly content: string }): boolean {
  return role === 'user' && withoutInjected(content).trim() !== ''
}
