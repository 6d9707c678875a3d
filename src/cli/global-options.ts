/** The options that every command takes, before its name or after it. */
import type { Option } from './command.ts'

export const GLOBAL_OPTIONS: readonly Option[] = [
  {
    name: 'workspace',
    value: 'PATH',
    about:
      'folder, file or postgres://HOST/DATABASE of the memory; else as agent.yaml says, else the nearest .keepsake or ~/.keepsake',
  },
  { name: 'agent', value: 'ID', about: 'whose memory; else what agent.yaml says, else "main"' },
  { name: 'config', value: 'FILE', about: 'an agent.yaml; else the nearest upward' },
  { name: 'json', about: 'print one JSON object and nothing else' },
  { name: 'quiet', about: 'writes print nothing, readings only the text' },
  { name: 'help', about: 'show this help' },
  { name: 'version', about: 'show the version' },
]
