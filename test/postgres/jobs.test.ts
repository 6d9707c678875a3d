/** Writes that share a transaction, and one of them fails after it has written. */
import { expect, it } from 'vitest'
import { write } from '../../src/stores/engine/sql.ts'
import { createTables, recordedDatabase } from './recorded-database.ts'
import { describeOnPostgres } from './server.ts'

describeOnPostgres('writes at once', (server) => {
  it('fail alone, whether they had written before or not', async () => {
    const database = recordedDatabase(await server.createDatabase())
    await createTables(database)
    const attempts: string[] = []
    const put = (key: string, failure?: 'before' | 'after') =>
      write(database, async (sql) => {
        attempts.push(key)
        if (failure === 'before') throw new Error(`${key} failed`)
        await sql.run('INSERT INTO backups (path, checksum) VALUES (?, ?)', [key, 0])
        if (failure === 'after') throw new Error(`${key} failed`)
        return key
      })
    const paths = () => database.read((sql) => sql.all('SELECT path FROM backups ORDER BY path'))

    expect(await Promise.allSettled([put('a'), put('b', 'before'), put('c')])).toMatchObject([
      { value: 'a' },
      { reason: { message: 'b failed' } },
      { value: 'c' },
    ])
    expect(attempts).toEqual(['a', 'b', 'c'])
    expect(await Promise.allSettled([put('d'), put('e', 'after'), put('f')])).toMatchObject([
      { value: 'd' },
      { reason: { message: 'e failed' } },
      { value: 'f' },
    ])
    expect(await paths()).toEqual(['a', 'c', 'd', 'f'].map((path) => ({ path })))
  })
})

describeOnPostgres('a refused statement beside a write that fails later', (server) => {
  it('loses no write that was acknowledged', async () => {
    const database = recordedDatabase(await server.createDatabase())
    await createTables(database)
    const put = (path: string, fails = false) =>
      write(database, async (sql) => {
        await sql.run('INSERT INTO backups (path, checksum) VALUES (?, ?)', [path, 0])
        if (fails) throw new Error(`${path} failed`)
        return path
      })
    await put('base')
    const outcomes = await Promise.allSettled([put('base'), put('kept'), put('x', true)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
    const paths = await database.read((sql) => sql.all('SELECT path FROM backups ORDER BY path'))
    expect(paths).toEqual([{ path: 'base' }, { path: 'kept' }])
  })

  it('leaves the last of several values that are written and deleted in one transaction', async () => {
    const database = recordedDatabase(await server.createDatabase())
    await createTables(database)
    const replace = (parts: readonly string[]) =>
      write(database, async (sql) => {
        await sql.run('DELETE FROM backups')
        for (const path of parts) await sql.run('INSERT INTO backups (path, checksum) VALUES (?, ?)', [path, 0])
      })
    await Promise.all([replace(['a', 'b']), replace(['c'])])
    expect(await database.read((sql) => sql.all('SELECT path FROM backups'))).toEqual([{ path: 'c' }])
  })
})
