/**
 * The page's own files, which hold nothing of any memory: a table of paths, read once. A path is in the table, letter by letter, or it is
 * not there; no request ever becomes a path on the disk.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { HEADERS } from '../http/exchange.ts'
import { bodyRefusal, methodRefusal, READ_METHODS } from '../http/guard.ts'
import type { Part } from '../http/part.ts'
import { refusalText } from './failures.ts'

/** As src/page/route.ts has them. */
const VIEWS = ['', 'browse', 'recall', 'timeline', 'changes', 'context', 'overview', 'map']

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  ...HEADERS,
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
} as const

interface File {
  readonly type: string
  readonly bytes: Buffer
}

/** `folder`: what scripts/build-page.mjs made. */
export function pagePart(folder: string): Part {
  const files = filesIn(folder)
  const fileOf = (target: string): File | undefined => files.get(target) ?? files.get(viewOf(target))
  return {
    owns: (target) => fileOf(target) !== undefined,
    isOpenToLinks: true,
    refusalOf: (req) => methodRefusal(req, READ_METHODS) ?? bodyRefusal(req),
    errorText: refusalText,
    answer: async (req, res) => {
      const file = fileOf(req.url ?? '')
      if (!file) throw new Error('unreachable: what is not in the table is not asked for')
      const length = { 'Content-Length': file.bytes.length }
      res.writeHead(200, { ...PAGE_HEADERS, 'Content-Type': file.type, ...length }).end(file.bytes)
    },
    close: async () => undefined,
  }
}

/** A view may be asked for something, which is the page's own business. */
function viewOf(target: string): string {
  const [path = ''] = target.split('?', 1)
  return VIEWS.some((view) => path === `/${view}`) ? '/index.html' : ''
}

function filesIn(folder: string): ReadonlyMap<string, File> {
  const names = readdirSync(folder).filter((name) => extname(name) in TYPES)
  return new Map(
    names.map((name) => [`/${name}`, { type: TYPES[extname(name)] ?? '', bytes: readFileSync(join(folder, name)) }]),
  )
}
