import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'

// One that has not hashed anything long yet.
vi.resetModules()
const { sha256Hex } = await import('./sha256.ts')

const LENGTHS = [0, 1, 55, 56, 63, 64, 65, 1023, 1024]
const SHORT = [...LENGTHS.map((length) => 'x'.repeat(length)), 'é§→😀', 'half \ud800 a character']
const LONG = ['x'.repeat(1025), 'ß'.repeat(5000)]

// In this order: from the first long one on, Node's own hashes the short ones, too.
test.each([...SHORT, ...LONG, ...SHORT])('of %j it is the same as by Node, as a text and as bytes', (text) => {
  for (const given of [text, new TextEncoder().encode(text)]) {
    expect(sha256Hex(given)).toBe(createHash('sha256').update(given).digest('hex'))
  }
})
