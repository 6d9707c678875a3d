/**
 * What a question is answered from: all calls to the store that are made for it share one look at it, where looking takes a request. To be
 * asked where the question comes in; whoever was given a part of one passes its options on.
 */
export function oneQuestion<T extends { readonly askedAtMs?: number }>(options: T): T & { readonly askedAtMs: number } {
  return { ...options, askedAtMs: options.askedAtMs ?? performance.now() }
}
