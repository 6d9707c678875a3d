/** How an agent program gets to this memory over MCP, as text to paste. */
import type { VNode } from 'preact'
import { CopyButton } from '../../parts/copy-button.tsx'
import { workspace } from '../../state.ts'
import { Panel } from './panel.tsx'

export function Connect(): VNode | null {
  const url = workspace.value?.mcpUrl
  if (url === undefined) return null
  const command = `claude mcp add --transport http keepsake ${url}`
  const json = JSON.stringify({ mcpServers: { keepsake: { type: 'http', url } } }, null, 2)
  return (
    <Panel title="Connect an agent" isWide>
      <p>
        Any MCP client gets to this memory at <code>{url}</code> while <code>keepsake serve</code> runs.
      </p>
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
