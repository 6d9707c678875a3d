import { expect, it } from 'vitest'
import { unreadable } from './unreadable.ts'

const PROBLEM = 'it is not UTF-8 text'

it.each([
  ['world/staging-server.md', ['Staging Server'], true],
  ['world/staging-server-2.md', ['Staging Server'], true],
  ['world/staging-servers.md', ['Staging Server'], false],
  ['world/staging-server.md', ['an alias', 'Staging Server'], true],
  ['agents/main/MEMORY.md', ['MEMORY'], true],
  ['agents/main/MEMORY.md', undefined, true],
  ['agents/main/entries/untitled-3.md', ['?!'], true],
  ['agents/main/entries/-.md', ['?!'], false],
  ['world/', ['Anything'], true],
  ['.', ['Anything'], false],
  ['.', undefined, false],
] as const)('%s of %j: %s', (path, names, isIt) => {
  const error = unreadable([{ path, problem: PROBLEM }], names)
  expect(error?.message).toBe(isIt ? `${path} can't be read: ${PROBLEM}` : undefined)
  expect(error?.code).toBe(isIt ? 'DAMAGED' : undefined)
})
