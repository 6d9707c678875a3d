/** Ctrl+Enter and Ctrl+S (on a Mac with Cmd) send the form that the focus is in. */
export function saveByKeys(event: KeyboardEvent): void {
  const isAsked = (event.ctrlKey || event.metaKey) && (event.key === 'Enter' || event.key.toLowerCase() === 's')
  if (!isAsked || !(event.target instanceof Element)) return
  event.preventDefault()
  const form = event.target.closest('form')
  // As a click would: a button that can't be pressed now can't be pressed by keys either.
  form?.querySelector<HTMLButtonElement>('button[type="submit"]')?.click()
}
