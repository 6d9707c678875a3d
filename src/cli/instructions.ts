/** How an MCP server tells a model to use the memory: by the directive of the workspace, else by the built-in one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isOnServer } from '../config/keys.ts'
import type { Config } from '../config/load-config.ts'
import type { Memory } from '../memory.ts'
import { memoryDirective } from '../prompt/directive.ts'
import { complain } from './report.ts'

/** Of a server, for its directive. */
const SERVER_DIRECTIVE_MS = 2000

/** A directive of the workspace's own is worth opening it for. */
export async function instructionsOf(memory: Memory, config: Config): Promise<string> {
  const { tools, soulEditable } = memory.settings
  const own = mayHaveDirective(config) ? await directiveOf(memory, config) : undefined
  for (const warning of own?.warnings ?? []) complain(`warning: ${warning}`)
  return own?.text ?? memoryDirective(tools, { soulEditable })
}

/** Whether a file or a server holds a directive is known only once it is open. */
function mayHaveDirective({ values: { backend, workspace } }: Config): boolean {
  if (isOnServer(backend)) return true
  return existsSync(backend === 'file' ? workspace : join(workspace, 'directives/memory.md'))
}

type Directive = Awaited<ReturnType<Memory['directive']>>

/** A server that can't be asked, or not soon, keeps no client waiting: the tools tell what is wrong with it. */
function directiveOf(memory: Memory, { values: { backend } }: Config): Promise<Directive | undefined> {
  if (!isOnServer(backend)) return memory.directive()
  const tooLate = new Promise<undefined>((resolve) => setTimeout(resolve, SERVER_DIRECTIVE_MS, undefined).unref())
  return Promise.race([memory.directive().catch(() => undefined), tooLate])
}
