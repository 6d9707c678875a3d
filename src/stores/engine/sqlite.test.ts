import { describe, expect, it } from 'vitest'
import { installCommand } from './sqlite.ts'

describe('the command that installs SQLite on Node 20', () => {
  it.each([
    [
      'file:///usr/local/lib/node_modules/keepsake/dist/cli/program.js',
      'npm install --global @photostructure/sqlite@1.2.1',
    ],
    [
      'file:///home/ann/project/node_modules/keepsake/dist/stores/engine/sqlite.js',
      'npm install @photostructure/sqlite@1.2.1',
    ],
  ])('of a program at %s installs it beside that program', (module, command) => {
    expect(installCommand(module)).toBe(command)
  })

  it('names the version in package.json', async () => {
    const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } })
    expect(installCommand('')).toContain(`@${manifest.peerDependencies['@photostructure/sqlite']}`)
  })
})
