/** How long to wait before a call is tried again: what the server says, within bounds, else longer each time, with chance in it. */

const MOST_MS = 60_000
const FIRST_MS = 300
const MOST_OWN_MS = 8_000

/** `Retry-After`: seconds, or a date, which is held against the server's own clock where it tells that. */
export function retryAfterMs(headers: Headers): number | undefined {
  const said = headers.get('retry-after')?.trim()
  if (!said) return undefined
  if (/^\d+(\.\d+)?$/.test(said)) return Math.min(Number(said) * 1000, MOST_MS)
  const until = Date.parse(said)
  if (Number.isNaN(until)) return undefined
  const sent = Date.parse(headers.get('date') ?? '')
  const ms = until - (Number.isNaN(sent) ? Date.now() : sent)
  return Math.min(Math.max(ms, 0), MOST_MS)
}

/** `tries` so far, from 1. Without chance, all who were refused at once would come back at once. */
export function backOffMs(tries: number): number {
  const most = Math.min(FIRST_MS * 2 ** (tries - 1), MOST_OWN_MS)
  return Math.round(most * (0.5 + Math.random() / 2))
}

export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
