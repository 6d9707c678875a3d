/** How an agent program gets to this memory over MCP, as text to paste. */
import type { VNode } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { workspace } from '../../state.ts'
import { Panel } from './panel.tsx'

/** The token itself never gets to a browser. */
const [NAME, VALUE] = ['Authorization', 'Bearer TOKEN'] as const

export function Connect(): VNode | null {
  const { mcpUrl: url, needsToken = false } = workspace.value ?? {}
  if (url === undefined) return null
  const command = `claude mcp add --transport http keepsake ${url}${needsToken ? ` --header "${NAME}: ${VALUE}"` : ''}`
  const server = { type: 'http', url, ...(needsToken ? { headers: { [NAME]: VALUE } } : {}) }
  const json = JSON.stringify({ mcpServers: { keepsake: server } }, null, 2)
  return (
    <Panel title="Connect an agent" isWide>
      <p>
        Any MCP client gets to this memory at <code>{url}</code> while <code>keepsake serve</code> runs.
      </p>
      {needsToken && (
        <p>
          Replace <code>TOKEN</code> with the token of this server, or let <code>keepsake install CLIENT --http</code>{' '}
          write the entry. The terminal where the server runs shows the command.
        </p>
      )}
      <div class="connect">
        <Snippet title="Claude Code, as a command" text={command} label="Copy the command" />
        <Snippet title="As JSON, such as in .mcp.json" text={json} label="Copy the JSON" />
      </div>
    </Panel>
  )
}

interface SnippetProps {
  readonly title: string
  readonly text: string
  readonly label: string
}

function Snippet({ title, text, label }: SnippetProps): VNode {
  return (
    <div class="snippet">
      <header>
        <h3>{title}</h3>
        <CopyButton label={label} text={text} />
      </header>
      <pre>{text}</pre>
    </div>
  )
}
