/**
 * Our tools as MCP has them. Some clients show a model only the structured answer and some only the text, so each carries
 * all of it. Arguments are checked by the tool itself, whose words a model can act on; the SDK checks only that there is an
 * object.
 */
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server'
import type { Tool } from '../tools/index.ts'

/** A client that defers tools until they are searched for loads these at once. */
const ALWAYS_LOAD = { 'anthropic/alwaysLoad': true }

/** `wrote` is called after a call that may have changed something. */
export function serveTools(server: Server, tools: readonly Tool[], wrote: () => void): void {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(definitionOf) }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const tool = byName.get(params.name)
    if (!tool) {
      const known = [...byName.keys()].join(', ')
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool "${params.name}"; there are ${known}`)
    }
    return resultOf(tool, params.arguments ?? {}, signal, wrote)
  })
}

function definitionOf({ name, title, description, inputSchema, annotations, everyday }: Tool): {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [key: string]: unknown }
  annotations: Tool['annotations']
  _meta?: typeof ALWAYS_LOAD
} {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations,
    ...(everyday ? { _meta: ALWAYS_LOAD } : {}),
  }
}

async function resultOf(tool: Tool, args: unknown, signal: AbortSignal, wrote: () => void): Promise<CallToolResult> {
  const { text, structured, isError } = await tool.run(args, { signal })
  if (!tool.annotations.readOnlyHint && !isError) wrote()
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...structured },
    ...(isError ? { isError } : {}),
  }
}
