/** Where the page begins: takes the secret out of the link, opens the memory with it, and draws. */
import { render } from 'preact'
import { App } from './app.tsx'
import { ApiError, open } from './client.ts'
import { fail, hasFailedToOpen, isLockedOut, loadWorkspace } from './state.ts'

const root = document.getElementById('app')
root?.replaceChildren()
if (root !== null) render(<App />, root)
begin().catch(failToOpen)
// A new link that is put into the address bar of this very tab loads no page: only what stands behind the # is another one.
addEventListener('hashchange', () => {
  begin().catch(failToOpen)
})

async function begin(): Promise<void> {
  const secret = takeSecret()
  if (secret !== undefined) await open(secret).catch(unlessRefused)
  await loadWorkspace()
  isLockedOut.value = false
}

function failToOpen(error: unknown): void {
  hasFailedToOpen.value = true
  fail(error)
}

/** At once, before anything can fail: it is not to stay in the address bar, nor in the history. */
function takeSecret(): string | undefined {
  const found = /^#key=(.+)$/.exec(location.hash)?.[1]
  if (found !== undefined) history.replaceState(history.state, '', location.pathname + location.search)
  return found
}

/** A link opens once. Where it was used before, this browser may still have the key; the next request tells. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error
}
