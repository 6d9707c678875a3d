// The least that an MCP server can be, as the SDK's documentation writes it: one tool with a zod schema, over stdio.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod/v4'

serveStdio(() => {
  const server = new McpServer({ name: 'one-tool', version: '1.0.0' })
  const tool = { description: 'Says what it was asked for', inputSchema: z.object({ query: z.string() }) }
  server.registerTool('recall', tool, ({ query }) => ({ content: [{ type: 'text', text: `asked for ${query}` }] }))
  return server
})
