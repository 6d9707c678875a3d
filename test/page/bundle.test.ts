/** What a browser loads before it shows anything: little, and all of it from this server. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const FOLDER = resolve(import.meta.dirname, '../../dist/page')
const MOST_BYTES = 60_000

/** A file with all that it imports at once; what it imports later is lazy. */
function loaded(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(join(FOLDER, name), 'utf8')
  for (const [, named, bare] of text.matchAll(/(?:import|export)[^"';]*?from"\.\/([\w.-]+)"|import"\.\/([\w.-]+)"/g)) {
    const other = named ?? bare
    if (other !== undefined) loaded(other, seen)
  }
  return seen
}

describe('the first sight of the page', () => {
  const files = ['index.html', 'main.css', 'icon.svg', ...loaded('main.js')]

  it('takes at most 60 kB, compressed', () => {
    const sizes = files.map((name) => gzipSync(readFileSync(join(FOLDER, name))).length)
    const sum = sizes.reduce((total, size) => total + size, 0)
    expect(files.length).toBeGreaterThan(4)
    expect(sum).toBeLessThanOrEqual(MOST_BYTES)
    expect(sum).toBeGreaterThan(10_000)
  })

  it('names no other host', () => {
    for (const name of files) {
      const hosts = readFileSync(join(FOLDER, name), 'utf8').match(/https?:\/\/[\w.-]+/g) ?? []
      expect([name, hosts.filter((host) => !/www\.w3\.org$|preactjs\.com/.test(host))]).toEqual([name, []])
    }
  })

  it('leaves plots to the views that have some', () => {
    const scripts = files.filter((name) => name.endsWith('.js'))
    expect(scripts.filter((name) => readFileSync(join(FOLDER, name), 'utf8').includes('u-axis'))).toEqual([])
  })
})
