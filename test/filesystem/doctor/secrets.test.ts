import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/model/id.ts'
import { findSecrets } from '../../../src/stores/disk/doctor/secret-patterns.ts'
import { Ward } from './ward.ts'

/** Made up, and put together here so that nobody takes this file for one with secrets in it. */
const ANY = 'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1cF0xR5tU3iO7lA9'

const SECRETS: readonly (readonly [what: string, text: string])[] = [
  ['an AWS access key', ['AKIA', 'QWERTZUIOPASDFGH'].join('')],
  ['an AWS access key', ['ASIA', 'QWERTZUIOPASDFGH'].join('')],
  ['a GitHub token', ['ghp', ANY.slice(0, 36)].join('_')],
  ['a GitHub token', ['gho', ANY.slice(0, 36)].join('_')],
  ['a GitHub token', ['github_pat', ANY.slice(0, 22), (ANY + ANY).slice(0, 59)].join('_')],
  ['a GitLab token', ['glpat', ANY.slice(0, 20)].join('-')],
  ['a Slack token', ['xoxb', '123456789012', '123456789012', ANY.slice(0, 24)].join('-')],
  ['an Anthropic key', ['sk', 'ant', 'api03', ANY].join('-')],
  ['an OpenAI key', ['sk', 'proj', ANY].join('-')],
  ['an OpenAI key', ['sk', ANY].join('-')],
  ['a Google key', ['AIza', ANY.slice(0, 35)].join('')],
  ['a Stripe key', ['sk', 'live', ANY.slice(0, 24)].join('_')],
  ['an npm token', ['npm', ANY.slice(0, 36)].join('_')],
  ['a PyPI token', ['pypi', `AgEIcHlwaS5vcmc${ANY}${ANY}`].join('-')],
  ['a signed token (JWT)', `eyJ${ANY.slice(0, 20)}.eyJ${ANY.slice(0, 30)}.${ANY}`],
  ['a private key', `-----BEGIN ${'RSA PRIVATE'} KEY-----\nMIIEpAIBAAKCAQEA7bq1\n-----END`],
  ['a private key', `{"text":"-----BEGIN ${'PRIVATE'} KEY-----\\nMIIEvQIBADANBgkqhkiG9w0B\\n"}`],
  ['a password', 'password = Xk9#mQ2vL!'],
  ['a password', '{"api_key": "f8Gh2kLm9QwZx7Tn"}'],
  ['a password', 'DB access: passwd: qT7-pl0Wx.9k'],
]

const INNOCENT: readonly string[] = [
  'id: 0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  `commit ${'3f2a9c1d'.repeat(5)}`,
  `sha256-${randomBytes(32).toString('base64')}`,
  `![dot](data:image/png;base64,${randomBytes(3000).toString('base64')})`,
  `<!-- {"id":"${newId(Date.now())}","session":"chat"} -->`,
  'The key AKIAIOSFODNN7EXAMPLE is from the manual.',
  'Set AWS_ACCESS_KEY_ID to AKIA followed by 16 characters.',
  'password: $DB_PASSWORD',
  'password = process.env.DB_PASSWORD2',
  'The password: must be changed every 90 days',
  'password: <your-password-1>',
  `secret: $${'{{'} secrets.NPM_TOKEN_2 }}`,
  'api_key = os.getenv("API_KEY_1")',
  'access_token: 0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  'secret = vault:kv/data/app2#Key',
  'password: xxxxxxxxxxxx1A',
  'api_key: YOUR_API_KEY_123',
  'secret: /run/secrets/db_password_1',
  'the secret: v1.24.3-Beta.2+build',
  'task-runner-and-some-long-kebab-case-name-that-is-no-key',
  'sk-learn is spelled scikit-learn; sk-SK is a locale; disk-usage-of-the-server-in-gigabytes',
  'npm_config_registry and npm_lifecycle_event are variables; npm_package_version too',
  'pypi-server is a program',
  'xoxo-hugs-and-kisses-from-everyone-here',
  'A PEM file begins with -----BEGIN RSA PRIVATE KEY----- and ends with an END line.',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq\n-----END CERTIFICATE-----',
  'eyJ is how base64 of a JSON object begins',
  'ghp_ is the prefix of a token; ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx stands for one',
  'https://example.com/path?token=abc&secret=def',
  'AIzawa is a name',
  '01a1e120-22e8-7144-bb48-941b8d469e39 sk_test_4eC39HqLyjWDarjtT1zdp7dc',
]

describe('what looks like a secret', () => {
  it.each(SECRETS)('%s is found: %s', (what, text) => {
    expect(findSecrets(`Some text.\n${text}\nMore.`).map((secret) => secret.what)).toEqual([what])
  })

  it.each(SECRETS)('%s is found once after a key: %s', (_, text) => {
    expect(findSecrets(`API_KEY="${text}"`).length).toBeLessThanOrEqual(1)
  })

  it.each(INNOCENT)('is not this: %s', (text) => {
    expect(findSecrets(text)).toEqual([])
  })

  it('is not in a megabyte of base64, nor in ten thousand ids', () => {
    expect(findSecrets(randomBytes(1_000_000).toString('base64'))).toEqual([])
    expect(findSecrets(Array.from({ length: 10_000 }, () => newId(Date.now())).join('\n'))).toEqual([])
  })

  // Work far from linear would run into the test's timeout.
  it.each(['eyJ', 'password=', '-----BEGIN PRIVATE KEY-----\n', 'sk-ant-', 'a.eyJa'])(
    'is looked for in one pass where its beginning is repeated: %j',
    (piece) => {
      expect(() => findSecrets(piece.repeat(100_000))).not.toThrow()
    },
  )
})

describe('a secret that is found', () => {
  it('is never printed, and told with its line and its entry', async () => {
    const ward = await Ward.healthy()
    const token = SECRETS[2]?.[1] ?? ''
    ward.change(ward.today, (text) => text.replace('green again.', `green again.\nWith ${token}`))
    ward.write(
      'agents/main/sessions/chat.jsonl',
      `${ward.read('agents/main/sessions/chat.jsonl')}{"text":"${token}"}\n`,
    )
    const { findings } = await ward.examine()
    expect(JSON.stringify(findings)).not.toContain(token.slice(0, 8))
    const [daily, session] = findings
    const id = [...ward.read(ward.today).matchAll(/"id":"([^"]+)"/g)].at(-1)?.[1]
    expect(daily).toMatchObject({ code: 'secret', path: ward.today })
    expect(daily?.problem).toMatch(/^line \d+: what looks like a GitHub token \(ghp_…, 40 characters\)$/)
    expect(daily?.hint).toMatch(new RegExp(`keepsake forget ${id} --purge$`))
    expect(session).toMatchObject({ code: 'secret', path: 'agents/main/sessions/chat.jsonl' })
    expect(session?.problem).toMatch(/^line 4/)
  })

  it('is told with the id, which no name can shadow, and with the agent whose it is', async () => {
    const ward = await Ward.healthy()
    const token = SECRETS[2]?.[1] ?? ''
    const text = ward.read('agents/main/entries/deploys.md')
    const id = /^id: (.*)$/m.exec(text)?.[1]
    ward.write('agents/main/entries/deploys.md', `${text}${token}\n`)
    ward.write('agents/bob/entries/deploys.md', `---\nname: Deploys\n---\n\n${token}\n`)
    const copy = text.replace(/^name: .*$/m, 'name: Copied').replace(/^aliases:.*\n/m, '')
    ward.write('agents/main/entries/copied.md', `${copy}${token}\n`)
    const store = ward.open()
    const bob = await store.resolve('bob', 'Deploys')
    const copied = await store.resolve('main', 'Copied')
    await store.close()
    expect(copied?.id).not.toBe(id)
    const hints = async (agent?: string): Promise<(string | undefined)[]> => {
      const { findings } = await ward.examine(agent === undefined ? {} : { agent })
      return findings.filter(({ code }) => code === 'secret').map(({ hint }) => /forget (.*)/.exec(hint)?.[1])
    }
    expect(await hints()).toEqual([`${bob?.id} --purge --agent bob`, `${copied?.id} --purge`, `${id} --purge`])
    expect(await hints('bob')).toEqual([
      `${bob?.id} --purge --agent bob`,
      `${copied?.id} --purge --agent main`,
      `${id} --purge --agent main`,
    ])
  })
})
