/**
 * The official client, an optional package that is loaded when a server is first asked. It takes a signal only when it is made, so one
 * is made for each call (a twentieth of a millisecond), and told what it would ask the server every time.
 */
import type { AdminClient, ChromaClient } from 'chromadb'
import type { ServerPlace } from '../../../model/server-address.ts'
import { noClient } from './server-errors.ts'
import { type ServerFacts, tokenHeaders } from './server-facts.ts'

export interface Clients {
  forRecords(place: ServerPlace, facts: ServerFacts, signal: AbortSignal): ChromaClient
  forDatabases(place: ServerPlace, signal: AbortSignal): AdminClient
}

export async function loadClients(): Promise<Clients> {
  const { ChromaClient, AdminClient } = await import('chromadb').catch((cause: unknown) => {
    throw noClient(cause)
  })
  class InformedClient extends ChromaClient {
    constructor(place: ServerPlace, facts: ServerFacts, signal: AbortSignal) {
      super({ ...reachedBy(place, signal), tenant: place.tenant, database: place.database })
      this.preflightChecks = facts
    }
  }
  return {
    forRecords: (place, facts, signal) => new InformedClient(place, facts, signal),
    forDatabases: (place, signal) => new AdminClient(reachedBy(place, signal)),
  }
}

interface Reached {
  readonly host: string
  readonly port: number
  readonly ssl: boolean
  readonly headers: Record<string, string>
  readonly fetchOptions: RequestInit
}

function reachedBy(place: ServerPlace, signal: AbortSignal): Reached {
  const { protocol, hostname, port } = new URL(place.url)
  const ssl = protocol === 'https:'
  return {
    host: hostname,
    port: Number(port || (ssl ? 443 : 80)),
    ssl,
    headers: tokenHeaders(place),
    // A redirection would take the token to somebody else.
    fetchOptions: { signal, redirect: 'error' },
  }
}
