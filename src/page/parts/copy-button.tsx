/** Puts a text where it can be pasted from, and says so. */
import type { VNode } from 'preact'
import { fail, tell } from '../state.ts'

export function CopyButton({ label, text }: { readonly label: string; readonly text: string }): VNode {
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(() => tell('Copied.'), fail)
  }
  return (
    <button type="button" class="is-quiet copy-button" onClick={copy}>
      {label}
    </button>
  )
}
