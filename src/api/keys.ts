/**
 * Who may use the page: whoever has the link, which holds a secret that works once. It becomes a cookie that no script can read and no
 * other site can send, and a key that the page keeps in its own storage and sends as a header. Both are needed: a cookie is sent to every
 * port of this machine, so another program here could see it; the key is not. Neither outlives the server.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const SECRET_BYTES = 24
/** Of browsers; the one that came first is let go for the next. */
const MOST_OPENED = 32

export const KEY_HEADER = 'keepsake-key'

interface Opened {
  readonly cookie: Buffer
  readonly key: Buffer
}

export interface Granted {
  readonly setCookie: string
  readonly key: string
}

export class Keys {
  #secret: string | undefined
  #opened: readonly Opened[] = []

  /** A secret for a link; one before it that was not used works no more. */
  newSecret(): string {
    this.#secret = randomSecret()
    return this.#secret
  }

  /** `undefined`: it is not the secret, or it was used already. */
  open(secret: unknown, port: number): Granted | undefined {
    if (typeof secret !== 'string' || this.#secret === undefined || !isSame(digest(secret), digest(this.#secret))) {
      return undefined
    }
    this.#secret = undefined
    const [cookie, key] = [randomSecret(), randomSecret()]
    this.#opened = [...this.#opened.slice(1 - MOST_OPENED), { cookie: digest(cookie), key: digest(key) }]
    return { key, setCookie: `${cookieName(port)}=${cookie}; Path=/api; HttpOnly; SameSite=Strict` }
  }

  isOpened(req: IncomingMessage, port: number): boolean {
    const [key, ...others] = req.headersDistinct[KEY_HEADER] ?? []
    const cookie = cookieOf(req, cookieName(port))
    if (key === undefined || others.length > 0 || cookie === undefined) return false
    const given: Opened = { cookie: digest(cookie), key: digest(key) }
    return this.#opened.some((one) => isSame(one.cookie, given.cookie) && isSame(one.key, given.key))
  }
}

/** Two servers of one machine share its cookies, and must not take each other's. */
function cookieName(port: number): string {
  return `keepsake-${port}`
}

/** `undefined`: there is none, or more than one. */
function cookieOf(req: IncomingMessage, name: string): string | undefined {
  const pairs = (req.headersDistinct['cookie'] ?? []).flatMap((line) => line.split(';'))
  const values = pairs.map((pair) => pair.trim().split('=')).filter(([given]) => given === name)
  return values.length === 1 ? values[0]?.[1] : undefined
}

function randomSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** Of one length whatever the text's, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isSame(a: Buffer, b: Buffer): boolean {
  return timingSafeEqual(a, b)
}
