/** What is bundled into the program goes with its licence. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const PROGRAM = resolve(import.meta.dirname, '../dist/cli')
const NODE_MODULES = resolve(import.meta.dirname, '../node_modules')
const BUNDLED = ['@modelcontextprotocol/core', '@modelcontextprotocol/server', '@noble/hashes', 'tokenx', 'zod']

describe('the licences of the bundled packages', () => {
  const text = readFileSync(join(PROGRAM, 'THIRD-PARTY-LICENSES.txt'), 'utf8')

  it.each(BUNDLED)('are there in full: %s', (name) => {
    const { version, license } = JSON.parse(readFileSync(join(NODE_MODULES, name, 'package.json'), 'utf8'))
    expect(text).toContain(`\n${name} ${version} (${license})\n`)
    expect(text).toContain(readFileSync(join(NODE_MODULES, name, 'LICENSE'), 'utf8').trim())
  })

  it('name no package that is not in the program, and no licence that would bind our users', () => {
    const headings = [...text.matchAll(/^(\S+) \d+\.\d+\.\d+ \(([^)]+)\)$/gm)]
    expect(headings.length).toBeGreaterThanOrEqual(BUNDLED.length)
    for (const [, name, licence] of headings) expect(licence, name).toMatch(/^(MIT|Apache-2\.0|ISC|BSD-[23]-Clause)$/)
    expect(headings.map(([, name]) => name)).not.toContain('ajv')
  })

  it('are all that is needed: the files import nothing but Node and the dependencies', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(NODE_MODULES, '../package.json'), 'utf8'))
    const files = readdirSync(PROGRAM).filter((name) => name.endsWith('.js'))
    const imported = files.flatMap((name) => importsOf(readFileSync(join(PROGRAM, name), 'utf8')))
    const packages = imported.filter((specifier) => !/^(\.|node:)/.test(specifier))
    // An optional package is asked for where it is needed, and never without.
    const known = (specifier: string): boolean =>
      Object.keys({ ...dependencies, ...peerDependencies }).some(
        (name) => specifier === name || specifier.startsWith(`${name}/`),
      )
    expect(packages.filter((specifier) => !known(specifier))).toEqual([])
    expect(packages).toContain('yaml')
  })
})

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:\brequire\(|\bimport\(?)"([@\w./:-]+)"/g)].map(([, specifier = '']) => specifier)
}
