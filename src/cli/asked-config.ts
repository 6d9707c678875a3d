/** From the options and the environment to the configuration that a command works with. */
import { type AskedValues, type Config, loadConfig } from '../config/load-config.ts'
import { PASSWORD_VARIABLE, TOKEN_VARIABLE } from '../config/value-types.ts'
import type { Context } from './command.ts'

/** `more`: what only some commands can be told. `otherwise`: see loadConfig. */
export function configAsked(
  { given, asked }: Pick<Context, 'given' | 'asked'>,
  more: AskedValues = {},
  otherwise?: string,
): Promise<Config> {
  const tools = given.one('tools')
  const embedding = variable('KEEPSAKE_EMBEDDING_MODEL')
  const token = variable(TOKEN_VARIABLE)
  const password = variable(PASSWORD_VARIABLE)
  const from = (name: 'workspace' | 'agent'): string =>
    given.has(name) ? `--${name}` : `KEEPSAKE_${name.toUpperCase()}`
  return loadConfig({
    file: given.one('config') ?? variable('KEEPSAKE_CONFIG'),
    from: asked.cwd,
    asked: {
      ...(asked.workspace === undefined ? {} : { workspace: { text: asked.workspace, source: from('workspace') } }),
      ...(asked.agent === undefined ? {} : { agent: { text: asked.agent, source: from('agent') } }),
      ...(tools === undefined ? {} : { tools: { text: tools, source: '--tools' } }),
      ...(token === undefined ? {} : { token: { text: token, source: TOKEN_VARIABLE } }),
      ...(password === undefined ? {} : { password: { text: password, source: PASSWORD_VARIABLE } }),
      ...(embedding === undefined ? {} : { embedding_model: { text: embedding, source: 'KEEPSAKE_EMBEDDING_MODEL' } }),
      ...more,
    },
    ...(otherwise === undefined ? {} : { otherwise }),
  })
}

/** One that is set to nothing is as good as none. */
function variable(name: string): string | undefined {
  return process.env[name] || undefined
}
