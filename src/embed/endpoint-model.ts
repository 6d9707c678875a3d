/**
 * What vectors of a server are called: by the model, by the address, because two servers may call two models alike, even on one host, and by the
 * dimensions that were asked for. Nothing of an address that may be secret.
 */

const NO_ADDRESS = 'no host'

/** `http` is told from `https` by the port. */
export function endpointModel(
  { model, dimensions }: { readonly model: string; readonly dimensions?: number | null },
  baseUrl: string,
): string {
  return `${model}@${shownBase(baseUrl)}${dimensions ? `#${dimensions}` : ''}`
}

function shownBase(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return NO_ADDRESS
  const { protocol, hostname, port, pathname } = new URL(baseUrl)
  const shownPort = port || (protocol === 'http:' ? '80' : '')
  const path = pathname.replace(/(\/embeddings)?\/*$/, '')
  return `${hostname || NO_ADDRESS}${shownPort && `:${shownPort}`}${path}`
}
