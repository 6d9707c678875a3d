/** The built package as its users get it: what the root import loads, and that every entry point is there. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const HEAVY = ['yaml', 'zod', 'commander', 'onnxruntime-node', '@modelcontextprotocol']

/** Every module that importing a built file loads, by static imports alone. */
function loadedBy(file: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(file)) return seen
  const text = readFileSync(file, 'utf8')
  seen.set(file, file)
  for (const [, specifier = ''] of text.matchAll(/^\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]/gm)) {
    if (specifier.startsWith('.')) loadedBy(join(dirname(file), specifier), seen)
    else seen.set(specifier, file)
  }
  return seen
}

describe('the built package', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

  it.each(['dist/index.js', 'dist/facades/index.js', 'dist/testing/index.js', 'dist/complete/ai-sdk.js'])(
    "%s loads none of Node's own modules and nothing heavy",
    (file) => {
      const loaded = [...loadedBy(join(ROOT, file)).keys()]
      expect(loaded.filter((name) => name.startsWith('node:'))).toEqual([])
      expect(loaded.filter((name) => HEAVY.some((heavy) => name === heavy || name.startsWith(`${heavy}/`)))).toEqual([])
      expect(loaded.length).toBeGreaterThan(5)
    },
  )

  it('loads nothing of what makes, keeps or asks for vectors before it is wanted', () => {
    const loaded = [...loadedBy(join(ROOT, 'dist/index.js')).keys()].filter((name) => name.startsWith(ROOT))
    expect(loaded.filter((name) => /\/(embed\/minilm|(recall|search)\/vectors|local)\//.test(name))).toEqual([])
    expect(loaded).toContain(join(ROOT, 'dist/memory/start-embedding.js')) // the agent's, which loads none of it
  })

  it('would notice a Node module: the filesystem store has some', () => {
    const loaded = [...loadedBy(join(ROOT, 'dist/stores/filesystem/store.js')).keys()]
    expect(loaded).toContain('node:fs')
  })

  it('has every file that its manifest names', () => {
    const named = [manifest.bin.keepsake, ...Object.values(manifest.exports).flatMap((target) => paths(target))]
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('has no script that npm runs or warns of where it is installed; a clone and a tarball are built all the same', () => {
    const { scripts } = manifest
    expect(['preinstall', 'install', 'postinstall', 'prepare'].filter((hook) => hook in scripts)).toEqual([])
    // npm runs the first after an install in a clone, and only there.
    expect([scripts.dependencies, scripts.prepack]).toEqual(['npm run build', 'npm run build'])
  })

  it('names no dependency that compiles, downloads or floats', () => {
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
      const scripts = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).scripts ?? {}
      for (const hook of ['preinstall', 'install', 'postinstall']) expect(scripts[hook], name).toBeUndefined()
    }
  })
})

function paths(target: unknown): string[] {
  return typeof target === 'string' ? [target] : Object.values(target as Record<string, string>) // an export's conditions
}
