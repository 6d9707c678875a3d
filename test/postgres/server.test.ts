/** What the tests rely on in their server. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeOnPostgres } from './server.ts'

describeOnPostgres('a PostgreSQL server', (server) => {
  it('accepts the owner of its database, who is not a superuser', async () => {
    const sql = "SELECT 1 AS one, current_user AS name, current_setting('is_superuser') AS super"
    expect(await server.query(sql, [], server.url())).toEqual([{ one: 1, name: 'keepsake', super: 'off' }])
  })

  it('refuses a wrong password', async () => {
    const url = server.url().replace(server.password, 'wrong')
    await expect(server.query('SELECT 1', [], url)).rejects.toMatchObject({ code: '28P01' })
  })

  it('sorts text in English order', async () => {
    const sql = "SELECT word FROM unnest(ARRAY['b', 'B', 'a', 'A']) word ORDER BY word"
    expect(await server.query(sql)).toEqual(['a', 'A', 'b', 'B'].map((word) => ({ word })))
  })

  it('keeps what was committed when it is killed', async () => {
    const url = await server.createDatabase()
    await server.query('CREATE TABLE kept AS SELECT 7 AS seven', [], url)
    const { pid, port } = server
    await server.kill()
    expect(() => readFileSync(`/proc/${pid}/stat`)).toThrow('ENOENT')
    await server.restart()
    expect(server.port).toBe(port)
    expect(server.pid).not.toBe(pid)
    expect(await server.query('SELECT seven FROM kept', [], url)).toEqual([{ seven: 7 }])
  })

  it('is durable: a commit waits for the disk', async () => {
    expect(await server.query("SELECT current_setting('fsync') AS fsync")).toEqual([{ fsync: 'on' }])
  })
})

describeOnPostgres(
  'a PostgreSQL server with pgvector',
  (server) => {
    it('has it in its databases', async () => {
      const sql = "SELECT '[1,0]'::vector <=> '[0,1]'::vector AS distance"
      for (const url of [server.url(), await server.createDatabase()]) {
        expect(await server.query(sql, [], url)).toEqual([{ distance: 1 }])
      }
    })

    it('can have a database without it, whose owner may not create it', async () => {
      const url = await server.createDatabase({ hasVector: false })
      await expect(server.query('CREATE EXTENSION vector', [], url)).rejects.toMatchObject({ code: '42501' })
    })
  },
  { needsVector: true },
)
