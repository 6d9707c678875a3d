import { describe, expect, it } from 'vitest'
import { isKeepsakeError, type KeepsakeError } from '../errors.ts'
import { chooseModel } from './choose-model.ts'
import { type Environment, effectiveLlm, type Llm } from './effective-llm.ts'

const LLM: Llm = { provider: 'openai', base_url: null, model: 'of-the-file', api_key_env: null }

function refusalOf(llm: Llm | null, env: Environment): KeepsakeError {
  try {
    chooseModel(llm, env)
  } catch (error) {
    if (isKeepsakeError(error)) return error
    throw error
  }
  return expect.fail('it chose one')
}

describe('the model that counts', () => {
  it.each<[string, Llm | null, Environment, string]>([
    ['the file before the environment', LLM, { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'x' }, 'of-the-file'],
    ['a variable for the key that the file names', { ...LLM, api_key_env: 'MY_KEY' }, { MY_KEY: 'k' }, 'of-the-file'],
    ['a server without a key', { ...LLM, base_url: 'http://127.0.0.1:1/v1' }, {}, 'of-the-file'],
    ['a server of the environment', LLM, { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }, 'of-the-file'],
    ['OpenAI before Anthropic', null, { OPENAI_MODEL: 'o', OPENAI_API_KEY: 'k', ANTHROPIC_MODEL: 'a' }, 'o'],
    ['Anthropic alone', null, { ANTHROPIC_MODEL: 'a', ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }, 'a'],
    [
      'what is set to nothing as not set',
      null,
      { OPENAI_MODEL: ' ', ANTHROPIC_MODEL: 'a', ANTHROPIC_API_KEY: 'k' },
      'a',
    ],
  ])('takes %s', (_what, llm, env, name) => {
    expect(chooseModel(llm, env).name).toBe(name)
  })

  it.each<[string, Llm | null, Environment, RegExp, RegExp]>([
    ['nothing is said', null, {}, /^no model is configured$/, /agent\.yaml.*OPENAI_BASE_URL.*ANTHROPIC_API_KEY/],
    [
      'only a key is set',
      null,
      { OPENAI_API_KEY: 'secret' },
      /OPENAI_API_KEY is set, but not OPENAI_MODEL$/,
      /^Set OPENAI_MODEL/,
    ],
    [
      'only an address is set',
      null,
      { ANTHROPIC_BASE_URL: 'http://h' },
      /ANTHROPIC_BASE_URL is set, but not ANTHROPIC_MODEL$/,
      /^Set ANTHROPIC_MODEL/,
    ],
    [
      'both are, and no model',
      null,
      { OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: 'http://h' },
      /OPENAI_API_KEY and OPENAI_BASE_URL are set/,
      /OPENAI_MODEL/,
    ],
    [
      'the key is missing',
      LLM,
      {},
      /of-the-file of openai needs a key, and OPENAI_API_KEY is not set$/,
      /base_url, or OPENAI_BASE_URL/,
    ],
    [
      'the key that the file names is missing',
      { ...LLM, api_key_env: 'MY_KEY' },
      { OPENAI_API_KEY: 'secret' },
      /MY_KEY is not set$/,
      /into MY_KEY/,
    ],
  ])('is none where %s, and says what to do', (_what, llm, env, message, hint) => {
    const error = refusalOf(llm, env)
    expect(error.code).toBe('NO_MODEL')
    expect(error.message).toMatch(message)
    expect(error.hint).toMatch(hint)
    expect(JSON.stringify([error.message, error.hint])).not.toContain('secret')
  })

  it('says which variables count for it', () => {
    const env = { OPENAI_MODEL: 'x', OPENAI_BASE_URL: 'http://h/v1', OPENAI_API_KEY: 'k' }
    expect(effectiveLlm(null, env)).toEqual({
      llm: { provider: 'openai', base_url: 'http://h/v1', model: 'x', api_key_env: null },
      variables: ['OPENAI_MODEL', 'OPENAI_BASE_URL'],
    })
    expect(effectiveLlm({ ...LLM, base_url: 'http://own/v1' }, env)).toEqual({
      llm: { ...LLM, base_url: 'http://own/v1' },
      variables: [],
    })
  })
})
