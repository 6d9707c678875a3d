/** The two things served over HTTP, each with one request that writes: the tests change that request in one way and see it refused. */
import { join } from 'node:path'
import type { HttpLimits } from '../../src/http/limits.ts'
import { servePage, visitor } from '../api/served-page.ts'
import { treeHash } from '../cli/keepsake.ts'
import { request as mcpRequest, rememberCall, serveFurnished } from '../mcp/http-served.ts'
import { type Head, requestText } from './raw.ts'

export type SurfaceName = 'mcp' | 'api'

export const SURFACES: readonly SurfaceName[] = ['mcp', 'api']

export interface Surface {
  readonly port: number
  /** The body of the good request. It contains WRITTEN. */
  readonly goodBody: string
  /** The good request with `change` applied. */
  request(change?: Change): string
  /** The key that lets the good request in. */
  readonly key?: string | undefined
  /** Of all files of memory. */
  memoryHash(): string
}

export interface Change extends Head {
  readonly body?: string
}

interface SurfaceOptions {
  readonly limits?: Partial<HttpLimits>
  readonly token?: string
}

export const WRITTEN = 'Written from outside.'

export async function serveSurface(name: SurfaceName, options: SurfaceOptions = {}): Promise<Surface> {
  return name === 'mcp' ? serveMcp(options) : serveApi(options)
}

async function serveMcp(options: SurfaceOptions): Promise<Surface> {
  const { port, folder } = await serveFurnished(options)
  const goodBody = rememberCall({ content: WRITTEN })
  return {
    port,
    goodBody,
    request: ({ body = goodBody, ...head } = {}) => mcpRequest(port, body, head),
    memoryHash: () => treeHash(folder),
  }
}

/** As a browser that opened the link. */
async function serveApi(options: SurfaceOptions): Promise<Surface> {
  const served = await servePage(options)
  const asker = await visitor(served)
  const id = (await served.memory.get('Deploys'))?.id
  const { port } = served
  const goodBody = JSON.stringify({ content: WRITTEN })
  return {
    port,
    goodBody,
    key: asker.headers['Keepsake-Key'],
    request: ({ body = goodBody, headers, ...head } = {}) =>
      requestText(port, body, {
        method: 'PATCH',
        path: `/api/v1/entries/${id}`,
        headers: { ...asker.headers, ...headers },
        ...head,
      }),
    // Without `.state`, where the journal is tidied in the background.
    memoryHash: () => ['agents', 'world'].map((folder) => treeHash(join(served.root, folder))).join(),
  }
}
