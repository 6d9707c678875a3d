/**
 * A list of entries that is loaded page by page, as it is scrolled to. After a change the pages in sight are loaded anew, the others when they
 * are scrolled to again; until then what was there stays.
 */
import type { EntryList, EntryRow } from '../../../api/contract.ts'
import { type ApiError, get } from '../../client.ts'
import { asApiError } from '../../parts/use-loaded.ts'
import { fail } from '../../state.ts'

const PAGE_ROWS = 100

export type EntryFilter = Readonly<Record<string, string | undefined>>

export class EntryPages {
  /** `undefined` until the first page is there. */
  total: number | undefined
  error: ApiError | undefined
  warnings: readonly string[] = []

  readonly #filter: EntryFilter
  readonly #redraw: () => void
  readonly #pages = new Map<number, readonly EntryRow[]>()
  /** Of these something may have changed: what is shown of them is better than nothing. */
  readonly #stale = new Set<number>()
  readonly #loading = new Map<number, AbortController>()
  #firstPage = 0
  #lastPage = 0

  constructor(filter: EntryFilter, redraw: () => void) {
    this.#filter = filter
    this.#redraw = redraw
  }

  /** `undefined`: it is on its way. */
  rowAt(index: number): EntryRow | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS]
  }

  /** These rows are in sight, `to` not included. */
  show(from: number, to: number): void {
    this.#firstPage = Math.floor(from / PAGE_ROWS)
    this.#lastPage = Math.floor(Math.max(from, to - 1) / PAGE_ROWS)
    for (const [page, loading] of this.#loading) if (!this.#isInSight(page)) loading.abort()
    for (let page = this.#firstPage; page <= this.#lastPage; page++) {
      const isThere = this.#pages.has(page) && !this.#stale.has(page)
      if (!isThere && !this.#loading.has(page)) void this.#load(page)
    }
  }

  refresh(): void {
    for (const page of this.#pages.keys()) this.#stale.add(page)
    for (const loading of this.#loading.values()) loading.abort()
    for (let page = this.#firstPage; page <= this.#lastPage; page++) void this.#load(page)
  }

  close(): void {
    for (const loading of this.#loading.values()) loading.abort()
  }

  #isInSight(page: number): boolean {
    return page >= this.#firstPage && page <= this.#lastPage
  }

  async #load(page: number): Promise<void> {
    const outdated = new AbortController()
    this.#loading.set(page, outdated)
    try {
      const range = { offset: page * PAGE_ROWS, limit: PAGE_ROWS }
      const list = await get<EntryList>('/entries', { ...this.#filter, ...range }, outdated.signal)
      if (outdated.signal.aborted) return
      this.#pages.set(page, list.entries)
      this.#stale.delete(page)
      this.total = list.total
      this.warnings = list.warnings
      this.error = undefined
    } catch (cause) {
      if (outdated.signal.aborted) return
      this.error = asApiError(cause)
      if (this.error.status === 401) fail(this.error)
    } finally {
      if (this.#loading.get(page) === outdated) this.#loading.delete(page)
    }
    this.#redraw()
  }
}
