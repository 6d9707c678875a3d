/** Derived bytes, which can be rebuilt from the entries, and leases for long work. */
import { isKeepsakeError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Derived, Lease, Store } from '../../ports/store.ts'
import { insert, isIntact, MAX_ROW_BYTES, markWritten, readSetting, upsert } from './schema.ts'
import { type Database, queryOne, type Sql, write } from './sql.ts'

export function sqlDerived(database: Database): Derived {
  return {
    async read(key, { signal } = {}) {
      const statement = 'SELECT * FROM derived WHERE key = ? ORDER BY part'
      const rows = await database.read((sql) => sql.all(statement, [key]), signal)
      if (rows.length === 0 || !rows.every((row) => isIntact('derived', row))) return undefined
      return Buffer.concat(rows.map(({ bytes }) => bytes as Uint8Array)) // as the schema says
    },
    async write(key, bytes, madeFrom) {
      // Derived bytes never create a memory.
      if (!(await database.exists())) return false
      const replace = async (sql: Sql): Promise<boolean> => {
        if (madeFrom !== undefined && (await readSetting(sql, 'epoch')) !== madeFrom.epoch) return false
        await sql.run('DELETE FROM derived WHERE key = ?', [key])
        for (let [part, at] = [0, 0]; part === 0 || at < bytes.length; part++, at += MAX_ROW_BYTES) {
          await insert(sql, 'derived', { key, part, bytes: bytes.subarray(at, at + MAX_ROW_BYTES) })
        }
        await markWritten(sql)
        return true
      }
      try {
        return await write(database, replace, { bytes: bytes.length })
      } catch (error) {
        // A read-only memory or a full disk does without them.
        if (isKeepsakeError(error) && ['READ_ONLY', 'IO'].includes(error.code)) return false
        throw error
      }
    },
  }
}

/** A dead process keeps its lease at most this long. */
const LEASE_MS = 20_000
const RENEW_MS = 5000

type Leases = Pick<Store, 'lease'> & { releaseAll(): Promise<void> }

export function sqlLeases(database: Database, clock: Clock): Leases {
  const held = new Set<Lease>()
  return {
    async lease(name) {
      const holder = crypto.randomUUID()
      const acquireOrRenew = async (sql: Sql, isFirst = false): Promise<boolean> => {
        const row = await queryOne(sql, 'SELECT holder, until_ms FROM leases WHERE name = ?', [name])
        const nowMs = (await sql.clockMs?.()) ?? clock()
        const endsInMs = Number(row?.['until_ms'] ?? 0) - nowMs
        // An end further away than LEASE_MS means that the clock was set back.
        const isFree = endsInMs <= 0 || endsInMs > LEASE_MS
        if (isFirst ? !isFree : row?.['holder'] !== holder) return false
        await upsert(sql, 'leases', { name, holder, until_ms: nowMs + LEASE_MS })
        await markWritten(sql)
        return true
      }
      if (!(await write(database, (sql) => acquireOrRenew(sql, true)))) return undefined
      // Never recreates a memory that was removed.
      const writeIfThere = async (work: (sql: Sql) => Promise<unknown>): Promise<void> => {
        if (await database.exists()) await write(database, work)
      }
      const timer = setInterval(() => writeIfThere(acquireOrRenew).catch(() => undefined), RENEW_MS).unref()
      const lease: Lease = {
        async release() {
          if (!held.delete(lease)) return
          clearInterval(timer)
          await writeIfThere(async (sql) => {
            await sql.run('DELETE FROM leases WHERE name = ? AND holder = ?', [name, holder])
            await markWritten(sql)
          })
        },
      }
      held.add(lease)
      return lease
    },
    async releaseAll() {
      for (const lease of held) await lease.release()
    },
  }
}
