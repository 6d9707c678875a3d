/** Vectors that a store in RAM keeps and searches itself: the simplest implementation of the port, for tests of what uses it. */
import { KeepsakeError } from '../../src/errors.ts'
import type { Entry } from '../../src/model/entry.ts'
import type { Store } from '../../src/ports/store.ts'
import type { EntryVectors, NativeVectors, VectorModel } from '../../src/ports/vectors.ts'

export class RamVectors implements NativeVectors {
  readonly #store: Store
  readonly entries: Map<string, EntryVectors> = new Map()
  model: VectorModel | undefined
  maxPieces: number | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** The same vectors for another process; `before` is called before each call and may fail or wait. */
  process(before: (name: keyof NativeVectors) => Promise<void> | void): NativeVectors {
    const run = async <T>(name: keyof NativeVectors, work: () => Promise<T>): Promise<T> => {
      await before(name)
      return work()
    }
    const vectors = this
    return {
      get maxPieces() {
        return vectors.maxPieces
      },
      describe: () => run('describe', () => this.describe()),
      status: (scopes) => run('status', () => this.status(scopes)),
      reset: (model) => run('reset', () => this.reset(model)),
      pending: (afterSeq, limit) => run('pending', () => this.pending(afterSeq, limit)),
      put: (vectors, options) => run('put', () => this.put(vectors, options)),
      prune: () => run('prune', () => this.prune()),
      read: (ids) => run('read', () => this.read(ids)),
      nearest: (...asked) => run('nearest', () => this.nearest(...asked)),
    }
  }

  describe: NativeVectors['describe'] = async () => 'vectors in RAM'

  async status(scopes: readonly string[]): ReturnType<NativeVectors['status']> {
    const heads = await this.#store.heads({ scopes })
    const refused = heads.filter((head) => this.#isCurrent(head) && this.entries.get(head.id)?.isRefused)
    return {
      ...(this.model ? { model: this.model } : {}),
      pending: heads.filter((head) => !this.#isCurrent(head)).map(({ id }) => id),
      refused: refused.map(({ id }) => id),
    }
  }

  async reset(model: VectorModel): Promise<void> {
    const isSame = model.name === this.model?.name && model.dimensions === this.model.dimensions
    const kept = isSame && model.pieces !== this.model?.pieces ? [...this.entries.values()] : []
    this.entries.clear()
    for (const each of kept) this.entries.set(each.id, { ...each, revision: '' })
    this.model = model
  }

  async pending(afterSeq: number, limit: number): Promise<readonly Entry[]> {
    const found: Entry[] = []
    for await (const entry of this.#store.scan()) {
      if (entry.seq > afterSeq && !this.#isCurrent(entry) && found.length < limit) found.push(entry)
    }
    return found
  }

  async put(vectors: readonly EntryVectors[], { model }: { readonly model: VectorModel }): Promise<void> {
    if (JSON.stringify(model) !== JSON.stringify(this.model)) {
      throw new KeepsakeError('CONFLICT', 'the vectors are of another model by now')
    }
    for (const each of vectors) {
      if ((await this.#store.get(each.id))?.revision === each.revision) this.entries.set(each.id, each)
    }
  }

  async prune(): Promise<void> {
    const present = new Set((await this.#store.heads()).map(({ id }) => id))
    for (const id of this.entries.keys()) if (!present.has(id)) this.entries.delete(id)
  }

  async read(ids: readonly string[]): ReturnType<NativeVectors['read']> {
    const revisions = new Map((await this.#store.heads({ ids: new Set(ids) })).map((head) => [head.id, head]))
    return new Map(
      ids.flatMap((id) => {
        const { pieces } = this.entries.get(id) ?? {}
        return pieces ? [[id, { pieces, isCurrent: this.#isCurrent(revisions.get(id)) }]] : []
      }),
    )
  }

  async nearest(
    query: Float32Array,
    { scopes, kinds, limit }: Parameters<NativeVectors['nearest']>[1],
  ): ReturnType<NativeVectors['nearest']> {
    const current = (await this.#store.heads({ scopes, kinds })).filter((head) => this.#isCurrent(head))
    const all = current.flatMap(({ id }) => {
      const { pieces = [] } = this.entries.get(id) ?? {}
      const cosines = pieces.map(({ vector }) => vector.reduce((sum, value, n) => sum + value * (query[n] ?? 0), 0))
      return cosines.length === 0 ? [] : [{ id, cosine: Math.max(...cosines) }]
    })
    const near = all.sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)).slice(0, limit)
    return { near, isAll: near.length === all.length }
  }

  #isCurrent(head: { readonly id: string; readonly revision: string } | undefined): boolean {
    return head !== undefined && this.entries.get(head.id)?.revision === head.revision
  }
}
