import { describe, expect, it } from 'vitest'
import type { Environment, Llm } from './effective-llm.ts'
import { foreignIn } from './foreign-in.ts'

const LLM: Llm = { provider: 'openai', base_url: null, model: 'm', api_key_env: null }
const ENV: Environment = { OPENAI_BASE_URL: 'https://models.example/v1', ANTHROPIC_BASE_URL: 'https://other.example' }

describe('an address that a file of a project names', () => {
  it.each([
    null,
    'https://api.openai.com/v1',
    'https://api.openai.com/v1/',
    'http://127.0.0.1:11434/v1',
    'http://127.255.1.2/v1',
    'http://0x7f.1/v1',
    'http://2130706433/v1',
    'http://0177.0.0.1/v1',
    'http://１２７.0.0.1/v1',
    'http://LOCALHOST:1234/v1',
    'http://[::1]:8080/v1',
    'http://[0:0:0:0:0:0:0:1]/v1',
    'https://models.example/v1/',
    'https://models.example:443/v1',
  ])('is known: %s', (base_url) => {
    expect(foreignIn({ ...LLM, base_url }, ENV)).toBeUndefined()
  })

  it.each([
    ['http://evil.example/v1', 'evil.example'],
    ['http://localhost.evil.example/v1', 'localhost.evil.example'],
    ['http://localhost:80@evil.example/v1', 'evil.example'],
    ['http://127.0.0.1@evil.example/v1', 'evil.example'],
    ['http://me:secret@127.0.0.1/v1', '127.0.0.1'],
    ['http://evil.example#@127.0.0.1/v1', 'evil.example'],
    ['http://evil.example\\@127.0.0.1/v1', 'evil.example'],
    ['http://127.0.0.1.evil.example/v1', '127.0.0.1.evil.example'],
    ['http://128.0.0.1/v1', '128.0.0.1'],
    ['http://0.0.0.0/v1', '0.0.0.0'],
    ['http://[::ffff:8.8.8.8]/v1', '[::ffff:808:808]'],
    ['http://[fe80::1]:99/v1', '[fe80::1]:99'],
    ['http://api.openai.com/v1', 'api.openai.com'],
    ['https://api.openai.com.evil.example/v1', 'api.openai.com.evil.example'],
    ['https://api.openai.com:8443/v1', 'api.openai.com:8443'],
    ['https://models.example/else', 'models.example'],
    ['https://models.example/v1?to=evil', 'models.example'],
    ['http://models.example/v1', 'models.example'],
    ['https://models.example:8443/v1', 'models.example:8443'],
    ['https://other.example', 'other.example'],
    ['file:///etc/passwd', 'no host'],
    ['nonsense', 'no host'],
  ])('is foreign: %s', (base_url, host) => {
    expect(foreignIn({ ...LLM, base_url }, ENV)).toBe(`base_url leads to ${host}`)
  })

  it('is known by the variable of its own provider', () => {
    const llm: Llm = { ...LLM, provider: 'anthropic', base_url: 'https://other.example/' }
    expect(foreignIn(llm, ENV)).toBeUndefined()
    expect(foreignIn({ ...llm, base_url: 'https://api.openai.com/v1' }, ENV)).toBe('base_url leads to api.openai.com')
    expect(foreignIn(llm, { ANTHROPIC_BASE_URL: ' ' })).toBe('base_url leads to other.example')
  })
})

it.each<[Llm['provider'], string | null, string | undefined]>([
  ['openai', null, undefined],
  ['openai', 'OPENAI_API_KEY', undefined],
  ['anthropic', 'ANTHROPIC_API_KEY', undefined],
  ['openai', 'GITHUB_TOKEN', 'api_key_env is not OPENAI_API_KEY'],
  ['openai', 'ANTHROPIC_API_KEY', 'api_key_env is not OPENAI_API_KEY'],
  ['openai', 'openai_api_key', 'api_key_env is not OPENAI_API_KEY'],
])('a key of %s from the variable %s', (provider, api_key_env, foreign) => {
  expect(foreignIn({ ...LLM, provider, api_key_env }, ENV)).toBe(foreign)
})
