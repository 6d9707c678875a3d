/** From the options and the environment to the configuration that a command works with. */
import { type AskedValues, type Config, loadConfig } from '../config/load-config.ts'
import type { Context } from './command.ts'

/** `more`: what only some commands can be told. `otherwise`: see loadConfig. */
export function configAsked(
  { given, asked }: Pick<Context, 'given' | 'asked'>,
  more: AskedValues = {},
  otherwise?: string,
): Promise<Config> {
  const tools = given.one('tools')
  const from = (name: 'workspace' | 'agent'): string =>
    given.has(name) ? `--${name}` : `KEEPSAKE_${name.toUpperCase()}`
  return loadConfig({
    // A variable that is set to nothing is as good as none.
    file: given.one('config') ?? (process.env['KEEPSAKE_CONFIG'] || undefined),
    from: asked.cwd,
    asked: {
      ...(asked.workspace === undefined ? {} : { workspace: { text: asked.workspace, source: from('workspace') } }),
      ...(asked.agent === undefined ? {} : { agent: { text: asked.agent, source: from('agent') } }),
      ...(tools === undefined ? {} : { tools: { text: tools, source: '--tools' } }),
      ...more,
    },
    ...(otherwise === undefined ? {} : { otherwise }),
  })
}
