/** The parts that `serve` puts at its address: the page, its API, and MCP; and the links that open the page. */
import type { AgentMemories } from '../agents/agent-memories.ts'
import { apiPart } from '../api/api-part.ts'
import { Keys } from '../api/keys.ts'
import { pagePart } from '../api/page-part.ts'
import { Served, type Surroundings } from '../api/served.ts'
import type { Part } from '../http/part.ts'
import type { Serving as Address } from '../http/serve.ts'
import { MCP_PATH, mcpPart } from '../mcp/http/mcp-part.ts'
import type { ServedMemory } from '../mcp/server.ts'

export interface PageOptions {
  /** Of the built page. */
  readonly folder: string
  /** Whether agents are given tools here at all. */
  readonly hasTools: boolean
  readonly around: Omit<Surroundings, 'mcpUrl' | 'needsToken'>
}

export interface Page {
  readonly partsOf: (address: Address) => readonly Part[]
  /** It opens the page once. The secret stands behind the #, which no browser sends anywhere. */
  newLink(origin: string): string
  /** Called after a link was used. */
  onOpened(opened: () => void): void
}

export function page(
  memory: ServedMemory & { readonly memories: AgentMemories },
  { folder, hasTools, around }: PageOptions,
): Page {
  const keys = new Keys()
  let opened: () => void = () => undefined
  return {
    partsOf: (address) => {
      const mcp = hasTools ? { mcpUrl: `${address.origin}${MCP_PATH}` } : {}
      const served = new Served(memory.memories, { ...around, ...mcp, needsToken: address.token !== undefined })
      return [
        apiPart({ served, keys, port: Number(new URL(address.origin).port), opened: () => opened() }, address),
        ...(hasTools ? [mcpPart(memory, address)] : []),
        pagePart(folder),
      ]
    },
    newLink: (origin) => `${origin}/#key=${keys.newSecret()}`,
    onOpened: (told) => {
      opened = told
    },
  }
}
