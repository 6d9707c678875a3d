export interface CountingProxy {
  readonly port: number
  /** Since the last call. */
  roundTrips(): number
  /** Cuts all connections. */
  cut(): void
  close(): Promise<void>
}

export function startCountingProxy(port: number): Promise<CountingProxy>
