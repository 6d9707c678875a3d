/** Addresses of PostgreSQL: their forms, defaults and errors. An error never repeats a password. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isKeepsakeError } from '../errors.ts'
import { isPostgresAddress, type PostgresPlace, parsePostgresAddress, postgresAddress } from './postgres-address.ts'

const PLACE: PostgresPlace = { host: 'localhost', port: 5432, database: 'db', schema: 'keepsake', tls: 'disable' }

function refusalOf(address: string): { readonly message: string; readonly hint: string } {
  try {
    const place = parsePostgresAddress(address)
    throw new Error(`not refused: ${JSON.stringify(place)}`)
  } catch (error) {
    if (!isKeepsakeError(error) || error.code !== 'INVALID') throw error
    return { message: error.message, hint: error.hint ?? '' }
  }
}

describe('an address of PostgreSQL', () => {
  it.each<[string, Partial<PostgresPlace>]>([
    ['postgres://localhost/db', {}],
    ['postgresql://localhost/db', {}],
    ['POSTGRES://localhost:5432/db', {}],
    ['postgres:///db', {}],
    ['postgres://me@localhost/db', { user: 'me' }],
    ['postgres://me:secret@localhost/db', { user: 'me', password: 'secret' }],
    ['postgres://m%40e:s%2Fe%3Fc%23r%40e%3At@localhost/db', { user: 'm@e', password: 's/e?c#r@e:t' }],
    ['postgres://me:100%@localhost/db', { user: 'me', password: '100%' }],
    ['postgres://localhost:6000/my%20db', { port: 6000, database: 'my db' }],
    ['postgres://127.0.0.1/db', { host: '127.0.0.1' }],
    ['postgres://[::1]:5433/db', { host: '::1', port: 5433 }],
    ['postgres:///db?host=/run/postgresql', { host: '/run/postgresql' }],
    ['postgres://me@/db?host=/run/postgresql', { host: '/run/postgresql', user: 'me' }],
    ['postgres://:6000/db?host=/run/postgresql', { host: '/run/postgresql', port: 6000 }],
    ['postgres://localhost/db?schema=notes_2', { schema: 'notes_2' }],
    ['postgres://localhost/db?sslmode=require', { tls: 'require' }],
    ['postgres://db.example/db', { host: 'db.example', tls: 'verify-full' }],
    ['postgres://10.0.0.7/db', { host: '10.0.0.7', tls: 'verify-full' }],
    ['postgres://db.example/db?sslmode=disable', { host: 'db.example' }],
    [
      'postgres://db.example/db?sslmode=verify-ca&sslrootcert=/etc/ca.pem',
      { host: 'db.example', tls: 'verify-ca', tlsAuthority: '/etc/ca.pem' },
    ],
  ])('%s is parsed', (address, place) => {
    expect(isPostgresAddress(address)).toBe(true)
    expect(parsePostgresAddress(address)).toEqual({ ...PLACE, ...place })
  })

  it.each([
    ['postgres://localhost', /names no database/],
    ['postgres://localhost/', /names no database/],
    ['postgres://', /names no database|not valid/],
    ['postgres://local host/db', /not valid/],
    ['postgres://localhost/db\n', /not valid/],
    ['postgres://localhost:port/db', /not valid/],
    ['postgres://localhost:99999/db', /not valid/],
    ['postgres://localhost/db?password=hunter2', /may have only schema, sslmode/],
    ['postgres://localhost/db?application_name=x', /may have only schema, sslmode/],
    ['postgres://me:hunter#2@localhost/db', /may have schema, sslmode|not valid|names no database/],
    ['postgres://me:hunter?2@localhost/db', /may have schema, sslmode|not valid|names no database/],
    ['postgres://me:hunter/2@localhost/db', /not valid/],
    ['postgres://localhost/db#top', /may have only schema, sslmode/],
    ['postgres://localhost/db?schema=A', /"A" is not a schema/],
    ['postgres://localhost/db?schema=a-b', /"a-b" is not a schema/],
    ['postgres://localhost/db?schema=', /"" is not a schema/],
    ['postgres://localhost/db?schema=a;DROP', /is not a schema/],
    ['postgres://localhost/db?schema=pg_catalog', /"pg_catalog" is not a schema/],
    ['postgres://localhost/db?schema=information_schema', /is not a schema/],
    [`postgres://localhost/db?schema=${'x'.repeat(64)}`, /is not a schema/],
    ['postgres://localhost/db?sslmode=prefer', /sslmode is "prefer"/],
    ['postgres://localhost/db?sslmode=', /sslmode is ""/],
  ])('%s is refused', (address, problem) => {
    const { message, hint } = refusalOf(address)
    expect(message).toMatch(problem)
    expect(hint).toMatch(/^Allowed: /)
    expect(message + hint).not.toContain('hunter')
  })

  it('is recognized by its scheme', () => {
    for (const text of ['postgres:/db', 'postgres', 'chroma://h', 'http://h', 'postgres.keepsake', '/postgres://h/db'])
      expect(isPostgresAddress(text)).toBe(false)
  })

  it('has one canonical form, without the password, that parses to the same place', () => {
    const text = fc.string({ minLength: 1 }).filter((one) => one.isWellFormed() && !one.includes('\0'))
    const places = fc.record(
      {
        host: fc.constantFrom('localhost', '127.0.0.1', '::1', 'db.example', '/run/postgresql', '/a b/c'),
        port: fc.integer({ min: 1, max: 65_535 }),
        user: text,
        password: text.map((one) => `hunter2${one}`),
        database: text,
        schema: fc.stringMatching(/^[a-oq-z_][a-z0-9_]{0,20}$/),
        tls: fc.constantFrom('disable', 'require', 'verify-ca', 'verify-full'),
        tlsAuthority: text,
      },
      { requiredKeys: ['host', 'port', 'database', 'schema', 'tls'] },
    ) as fc.Arbitrary<PostgresPlace> // the record has its keys
    fc.assert(
      fc.property(places, ({ password: _, ...place }) => {
        const address = postgresAddress({ ...place, password: 'hunter2' })
        expect(address).not.toContain('hunter2')
        expect(parsePostgresAddress(address)).toEqual(place)
        expect(postgresAddress(parsePostgresAddress(address))).toBe(address)
      }),
    )
  })
})
