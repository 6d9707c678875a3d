/** What vectors of a server are called: with its host, because two servers may call two models alike, and with what was asked for. */

export function endpointModel(
  { model, dimensions }: { readonly model: string; readonly dimensions?: number | null },
  host: string,
): string {
  return `${model}@${host}${dimensions ? `/${dimensions}` : ''}`
}
