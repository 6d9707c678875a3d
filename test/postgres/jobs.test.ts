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
