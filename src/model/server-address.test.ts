import { describe, expect, it } from 'vitest'
import { addressOf, isLoopback, isPrivateWay, parseAddress } from './server-address.ts'

const DEFAULTS = { tenant: 'default_tenant', database: 'default_database' }

describe('the address of a memory on a server', () => {
  it.each([
    ['chroma://h', { url: 'http://h:8000', ...DEFAULTS }, 'chroma://h:8000'],
    ['CHROMA://H:80/', { url: 'http://h:80', ...DEFAULTS }, 'chroma://h:80'],
    ['chroma://h:443', { url: 'http://h:443', ...DEFAULTS }, 'chroma://h:443'],
    ['chroma://h?tls=1', { url: 'https://h:443', ...DEFAULTS }, 'chroma://h:443?tls=1'],
    ['chroma://h:80?tls=1', { url: 'https://h:80', ...DEFAULTS }, 'chroma://h:80?tls=1'],
    ['chroma://[::1]:9/notes', { url: 'http://[::1]:9', ...DEFAULTS, database: 'notes' }, 'chroma://[::1]:9/notes'],
    [
      'chroma://0x7f.1/notes/?tls=0&tenant=a%26b',
      { url: 'http://127.0.0.1:8000', tenant: 'a&b', database: 'notes' },
      'chroma://127.0.0.1:8000/notes?tenant=a%26b',
    ],
  ])('%s', (text, place, canonical) => {
    expect(parseAddress(text)).toEqual(place)
    expect(addressOf(place)).toBe(canonical)
    expect(parseAddress(canonical)).toEqual(place)
  })

  it.each([
    'chroma://',
    'chroma:///notes',
    'http://h',
    'chroma://h:99999',
    'chroma://h h',
    'chroma://h/a/b',
    'chroma://h/%zz',
    'chroma://h/ab',
    'chroma://h?tenant=',
    'chroma://h?tls=yes',
    'chroma://h?key=hunter2',
    'chroma://h#x',
    'chroma://me:hunter2@h',
    'chroma://me:hunter2/ss@h.example/notes',
    'chroma://me:hunter2#t@h',
    'chroma://me:hunter2?t@h',
    'chroma:// me:hunter2@h',
    'chroma://h/hunter2@notes',
  ])('%s is none', (text) => {
    expect(() => parseAddress(text, '--to')).toThrow(/^--to: (?!.*hunter2)/)
  })

  it('has the "@" of a tenant written so that it is no password', () => {
    const place = { url: 'http://h:8000', ...DEFAULTS, tenant: 'me@team' }
    expect(addressOf(place)).toBe('chroma://h:8000?tenant=me%40team')
    expect(parseAddress(addressOf(place))).toEqual(place)
    expect(() => parseAddress('chroma://h?tenant=me@team')).toThrow('an "@" of a tenant is written %40')
  })

  it('never holds the token', () => {
    expect(addressOf({ url: 'https://h', ...DEFAULTS, token: 'hunter2' })).not.toContain('hunter2')
  })
})

describe('the way to a server', () => {
  it.each(['https://h', 'http://localhost:8000', 'http://127.0.0.1', 'http://[::1]:1'])('%s is private', (url) => {
    expect(isPrivateWay(url)).toBe(true)
  })

  it.each(['http://h', 'http://10.0.0.1:8000', 'http://localhost.example', 'http://127.0.0.1.example'])(
    '%s is not',
    (url) => {
      expect([isPrivateWay(url), isLoopback(url)]).toEqual([false, false])
    },
  )
})

describe('the name of a database that no server takes', () => {
  it.each(['a1', 'a..b', '-ab', 'a b'])('%j is refused, with what one looks like', (name) => {
    const refused = (): unknown => parseAddress(`chroma://h/${encodeURIComponent(name)}`)
    expect(refused).toThrow(`"${name}" is no name of a database: it has 3 to 512 letters`)
  })
})
