/** What the HTTP server grants to any client. A parameter of the server only so that tests need not wait or send megabytes. */

export interface HttpLimits {
  readonly bodyBytes: number
  /** How deep arrays and objects may lie in each other: what walks them further down does so by recursion. */
  readonly bodyDepth: number
  /** From the first byte of a request to the end of its headers, and of its body. */
  readonly headersMs: number
  readonly requestMs: number
  /** How often the two are looked at. */
  readonly checkMs: number
  readonly sessions: number
  readonly sessionIdleMs: number
  readonly connections: number
}

export const HTTP_LIMITS: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
  bodyDepth: 64,
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 2_000,
  sessions: 100,
  sessionIdleMs: 30 * 60_000,
  connections: 512,
}
