/** The bearer token: a secret that client and server share. It is never printed, logged or put into an error. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { InvalidError } from '../errors.ts'

const MIN_LENGTH = 16

export type TokenCheck = (authorization: string | undefined) => boolean

/** The check of an Authorization header against this token, which takes the same time wherever the two differ. */
export function tokenCheck(token: string): TokenCheck {
  if (token.length < MIN_LENGTH || !/^[!-~]+$/.test(token)) {
    throw new InvalidError(
      'token',
      token.length < MIN_LENGTH ? `has ${token.length} characters` : 'has characters that no header can carry',
      `at least ${MIN_LENGTH} letters, digits and signs of ASCII, without blanks; openssl rand -hex 32 makes one`,
    )
  }
  const expected = digest(token)
  return (authorization) => {
    const given = /^Bearer +([!-~]+)$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}

/** Of one length whatever the text's, as the comparison needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
