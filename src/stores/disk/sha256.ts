/**
 * SHA-256 in hexadecimal. Node takes three milliseconds to load its own, of every command, and reading a memory hashes no more than a
 * line: so short texts are hashed by the package that the model uses, until there is a long one.
 */
import type { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { sha256 } from '@noble/hashes/sha2.js'

const SHORT = 1024

type NodesOwn = { readonly createHash: typeof createHash }

let nodes: NodesOwn | undefined

export function sha256Hex(given: Uint8Array | string): string {
  if (!nodes && given.length <= SHORT) return Buffer.from(sha256(Buffer.from(given))).toString('hex')
  nodes ??= createRequire(import.meta.url)('node:crypto') as NodesOwn // its documented export
  return nodes.createHash('sha256').update(given).digest('hex')
}
