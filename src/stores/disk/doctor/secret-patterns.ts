/**
 * What keys and passwords look like. Precise before complete: a check that cries wolf is not read. So each pattern
 * asks for the marks that the issuer gives its keys, and a bare password must look made by chance.
 */

export interface Secret {
  /** `an AWS access key`. */
  readonly what: string
  readonly start: number
  readonly text: string
}

interface Pattern {
  readonly what: string
  /** Its first group, or else all of it, is the secret. */
  readonly form: RegExp
  readonly accept?: (text: string) => boolean
}

// Nothing that may be part of a longer word, of base64 or of a path stands before.
const ALONE = '(?<![A-Za-z0-9+/=_-])'
/** Fewer different ones are a placeholder, not chance. */
const FEWEST_CHARACTERS = 6
const ENDS = '(?![A-Za-z0-9_-])'

function key(what: string, form: string): Pattern {
  return {
    what,
    form: new RegExp(`${ALONE}${form}${ENDS}`, 'g'),
    accept: (text) => !isPlaceholder(text) && new Set(text.slice(8)).size >= FEWEST_CHARACTERS,
  }
}

const PATTERNS: readonly Pattern[] = [
  key('an AWS access key', '(?:AKIA|ASIA)[A-Z2-7]{16}'),
  key('a GitHub token', '(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})'),
  key('a GitLab token', 'glpat-[A-Za-z0-9_-]{20,64}(?:\\.[a-z0-9]{2}\\.[a-z0-9]{7,9})?'),
  key('a Slack token', 'xox[abeoprs]-[0-9]+-[A-Za-z0-9-]{10,250}'),
  key('an Anthropic key', 'sk-ant-[A-Za-z0-9_-]{20,200}'),
  key('an OpenAI key', 'sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,200}|[A-Za-z0-9]{32,64})'),
  key('a Google key', 'AIza[A-Za-z0-9_-]{35}'),
  key('a Stripe key', '[rs]k_live_[A-Za-z0-9]{16,247}'),
  key('an npm token', 'npm_[A-Za-z0-9]{36}'),
  key('a PyPI token', 'pypi-[A-Za-z0-9_-]{50,500}'),
  key('a signed token (JWT)', 'eyJ[A-Za-z0-9_-]{10,4000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{20,2000}'),
  {
    what: 'a private key',
    // With a line of the key itself below: who only writes about keys does not have that. In JSON, `\n` ends lines.
    form: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\r)?(?:\\n|\n)(?:[A-Z][A-Za-z-]+: |[A-Za-z0-9+/=]{16,})/g,
  },
  {
    what: 'a password',
    form: /(?<![A-Za-z0-9_-])(?:password|passwd|passphrase|secret|api[_-]?key|(?:access|auth)[_-]?token)["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?([^\s"'`,;\\]{10,128})/gi,
    accept: isMadeByChance,
  },
]

/** Who has more of them in one text has other worries. */
const MOST = 200

/** Whether a longer look is worth it; most texts have none of these words. */
const HINTS =
  /AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|sk-|AIza|k_live_|npm_|pypi-|eyJ|PRIVATE KEY|pass|secret|key|token/i

export function findSecrets(text: string): Secret[] {
  if (!HINTS.test(text)) return []
  const found = PATTERNS.flatMap(({ what, form, accept }) =>
    [...text.matchAll(form)].flatMap((match) => {
      const secret = match[1] ?? match[0]
      if (accept && !accept(secret)) return []
      return { what, start: match.index + match[0].lastIndexOf(secret), text: secret }
    }),
  )
  // `api_key = sk-…` is one secret, not two: the pattern that knows its issuer comes first.
  const first = found.slice(0, MOST)
  return first.filter((one, index) => !first.slice(0, index).some((other) => overlaps(one, other)))
}

function overlaps(a: Secret, b: Secret): boolean {
  return a.start < b.start + b.text.length && b.start < a.start + a.text.length
}

function isPlaceholder(text: string): boolean {
  return /example|x{6}|0{8}|your|placeholder|redacted|\.{3}/i.test(text)
}

const BITS_A_CHARACTER = 3
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DIGEST = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const DOTTED_NAMES = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/
const VERSION_OR_DATE = /^v?\d+(?:[.:-]\d+)+/i

const NO_PASSWORDS: readonly RegExp[] = [UUID, DIGEST, VERSION_OR_DATE, DOTTED_NAMES]

function isMadeByChance(text: string): boolean {
  if (isPlaceholder(text) || NO_PASSWORDS.some((form) => form.test(text))) return false
  // Variables, calls, paths and addresses are where a password comes from, not what it is.
  if (/^[$<{[(%*~./@&]|^(?:https?|file|ssh|env|vault|op):|[(){}<>]|\$\{/i.test(text)) return false
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(text)).length
  return /[0-9]/.test(text) && /[A-Za-z]/.test(text) && kinds >= 3 && entropy(text) >= BITS_A_CHARACTER
}

/** Bits a character, by how often each character stands in the text. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
