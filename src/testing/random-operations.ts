/**
 * Batches of random writes, made to be hard: every kind and operation, names that make one file name, texts that look
 * like our formats, and a share that must be refused. A generator: it yields a batch and is told by `next` which entries
 * that gave (nothing when it was refused), so it knows ids that only the store can know. One seed, one conversation.
 */
import type { Entry, Metadata, Origin } from '../model/entry.ts'
import { KIND_NAMES, KINDS, type Kind } from '../model/kinds.ts'
import type { AddOperation, AliasOperation, Batch, Expect, Operation, WriteOperation } from '../model/operation.ts'
import { type Random, seededRandom } from './random.ts'
import { CONTENT_LINES, DESCRIPTIONS, KEYS, METADATA, NAMES } from './random-texts.ts'

export interface RandomBatch {
  readonly batch: Batch
  readonly expect?: Expect
}

const AGENTS: readonly string[] = ['main', 'ada', 'b.2_x']
const ORIGINS: readonly Origin[] = [
  { by: 'agent', agent: 'main', session: 's:1' },
  { by: 'hand' },
  { by: 'consolidation', agent: 'ada' },
  { by: 'import' },
]
const TIMES: readonly string[] = [
  '2020-02-29T23:59:59.999Z',
  '2024-12-31T23:30:00.000Z',
  '2025-03-30T01:30:00.500Z',
  '2025-10-26T00:59:59.000Z',
  '2026-01-01T05:00:00+05:30',
]
const UNKNOWN_ID = 'ffffffff-ffff-7fff-bfff-ffffffffffff'

export function* randomOperations(
  seed: number,
  count: number,
): Generator<RandomBatch, void, readonly Entry[] | undefined> {
  const maker = new BatchMaker(seededRandom(seed))
  for (let n = 0; n < count; n++) {
    const made = maker.make()
    const touched = yield made
    if (touched) maker.learn(made.batch, touched)
  }
}

class BatchMaker {
  readonly #random: Random
  readonly #living = new Map<string, Entry>()
  readonly #gone = new Map<string, Entry>()
  #made = 0

  constructor(random: Random) {
    this.#random = random
  }

  make(): RandomBatch {
    const operations = this.#operations()
    const batch: Batch = { operations, origin: this.#random.pick(ORIGINS) }
    const expect = this.#random.chance(5) ? this.#expect() : undefined
    return { batch, ...(expect === undefined ? {} : { expect }) }
  }

  learn(batch: Batch, touched: readonly Entry[]): void {
    const removed = new Set(batch.operations.flatMap((operation) => (operation.op === 'remove' ? operation.id : [])))
    for (const entry of touched) {
      // A page that was removed and made anew has its old id again, but a new seq.
      const isGone = removed.has(entry.id) && (this.#living.get(entry.id) ?? entry).seq === entry.seq
      const [to, from] = isGone ? [this.#gone, this.#living] : [this.#living, this.#gone]
      from.delete(entry.id)
      to.set(entry.id, entry)
    }
  }

  #operations(): Operation[] {
    const random = this.#random
    if (random.chance(60)) return []
    if (random.chance(12)) return this.#heldSeq()
    if (random.chance(6)) return this.#replacedContext()
    if (random.chance(8)) return this.#chain()
    if (random.chance(10)) return this.#comeback()
    return Array.from({ length: random.chance(3) ? 2 + random.int(3) : 1 }, () => this.#operation())
  }

  #operation(): Operation {
    const random = this.#random
    const rarely = this.#living.size > 60 ? 3 : 8
    if (this.#living.size < 3 || random.chance(3)) return this.#add()
    if (random.chance(rarely)) return { op: 'remove', id: this.#target() }
    if (random.chance(4)) return { op: 'rename', id: this.#target(), name: this.#name() }
    return random.chance(2) ? this.#alias() : this.#write()
  }

  #add(kind: Kind = this.#random.pick(KIND_NAMES)): AddOperation {
    const random = this.#random
    const { naming, scope, ttl, attributes } = KINDS[kind]
    const given = naming === 'given'
    // One in forty of each of these is not allowed.
    const wrongly = (): boolean => random.chance(40)
    return {
      op: 'add',
      kind,
      scope: (scope === 'world') !== wrongly() ? 'world' : random.pick(AGENTS),
      content: this.#content(),
      ...((given && !random.chance(6)) || wrongly() ? { name: this.#name() } : {}),
      ...((naming === 'key') !== wrongly() ? { key: random.pick(KEYS) } : {}),
      ...((given && random.chance(4)) || wrongly() ? { aliases: [this.#name(), this.#name()] } : {}),
      ...((attributes && random.chance(3)) || wrongly() ? { description: random.pick(DESCRIPTIONS) } : {}),
      ...((attributes && random.chance(3)) || wrongly() ? { metadata: this.#metadata() } : {}),
      ...((ttl && random.chance(5)) || wrongly() ? { expiresAt: this.#time() } : {}),
      ...(random.chance(6) ? { createdAt: random.pick(TIMES) } : {}),
      // The id of a page that exists once follows from where it is, in stores that have files.
      ...(naming !== 'fixed' && random.chance(8) ? { id: this.#newId() } : {}),
      ...(wrongly() && this.#living.size > 0 ? { id: random.pick([...this.#living.keys()]) } : {}),
    }
  }

  #write(): WriteOperation {
    const random = this.#random
    return {
      op: 'write',
      id: this.#target(),
      ...(random.chance(2) ? { content: this.#content() } : {}),
      ...(random.chance(3) ? { description: random.pick(DESCRIPTIONS) } : {}),
      ...(random.chance(3) ? { metadata: this.#metadata() } : {}),
      ...(random.chance(4) ? { expiresAt: random.chance(3) ? null : this.#time() } : {}),
    }
  }

  #alias(): AliasOperation {
    const random = this.#random
    const mode = random.pick(['bind', 'take', 'drop'] as const)
    const target = this.#living.get(this.#target())
    const alias =
      mode === 'drop' && target && target.aliases.length > 0 && !random.chance(6)
        ? random.pick(target.aliases)
        : mode === 'take' && random.chance(2)
          ? this.#heldAlias()
          : this.#name()
    return { op: 'alias', id: target?.id ?? UNKNOWN_ID, alias, ...(mode === 'bind' ? {} : { mode }) }
  }

  /** A seq of its own: far ahead, or one that a living entry holds, which must be refused. */
  #heldSeq(): Operation[] {
    const held = [...this.#living.values()].map(({ seq }) => seq)
    const top = Math.max(0, ...held)
    const seq = held.length > 0 && this.#random.chance(2) ? this.#random.pick(held) : top + 1 + this.#random.int(20)
    return [{ ...this.#add('experience'), scope: 'main', seq }]
  }

  #replacedContext(): Operation[] {
    const old = [...this.#living.values()].filter(({ kind }) => kind === 'context')
    if (old.length === 0) return [this.#add('context')]
    const { id, scope, key } = this.#random.pick(old)
    if (this.#random.chance(2)) return [{ op: 'write', id, content: this.#content(), expiresAt: this.#time() }]
    return [
      { op: 'remove', id },
      { op: 'add', kind: 'context', scope, content: this.#content(), ...(key === undefined ? {} : { key }) },
    ]
  }

  /** Several operations on an entry that the batch itself adds; sometimes the last one can't be. */
  #chain(): Operation[] {
    const id = this.#newId()
    const [name, second] = [`chain ${this.#made}`, `link ${this.#made}`]
    const last: readonly Operation[] = [
      { op: 'remove', id },
      { op: 'write', id, content: this.#content() },
      { op: 'rename', id, name },
      { op: 'rename', id: UNKNOWN_ID, name },
      { op: 'alias', id, alias: 'never bound', mode: 'drop' },
    ]
    return [
      {
        op: 'add',
        kind: this.#random.pick(['note', 'fact', 'archive']),
        scope: 'ada',
        id,
        name,
        content: this.#content(),
      },
      { op: 'rename', id, name: second },
      { op: 'alias', id, alias: `${second} too` },
      this.#random.pick(last),
    ]
  }

  /** What an undo does: a removed entry comes back whole. */
  #comeback(): Operation[] {
    if (this.#gone.size === 0) return [this.#add()]
    const { revision: _, path: __, ...entry } = this.#random.pick([...this.#gone.values()])
    return [{ op: 'add', ...entry }]
  }

  #expect(): Expect {
    const id = this.#target()
    const revision = this.#living.get(id)?.revision ?? null
    return { [id]: this.#random.chance(4) ? this.#random.pick([null, '0123456789abcdef']) : revision }
  }

  #target(): string {
    const random = this.#random
    if (random.chance(25) || this.#living.size === 0) return UNKNOWN_ID
    if (random.chance(25) && this.#gone.size > 0) return random.pick([...this.#gone.keys()])
    return random.pick([...this.#living.keys()])
  }

  #name(): string {
    const random = this.#random
    if (random.chance(12) && this.#living.size > 0) return random.pick([...this.#living.values()]).name ?? 'MEMORY'
    const name = random.pick(NAMES)
    return random.chance(2) ? `${name} ${random.int(30)}` : name
  }

  #heldAlias(): string {
    const aliases = [...this.#living.values()].flatMap((entry) => entry.aliases)
    return aliases.length > 0 ? this.#random.pick(aliases) : this.#name()
  }

  #content(): string {
    const random = this.#random
    if (random.chance(40)) return random.pick(['', ' \n', 'a\0b', '\ud800'])
    const lineEnd = random.chance(5) ? '\r\n' : '\n'
    return Array.from({ length: 1 + random.int(6) }, () => random.pick(CONTENT_LINES)).join(lineEnd)
  }

  #metadata(): Metadata {
    return this.#random.pick(METADATA)
  }

  #time(): string {
    return this.#random.chance(30) ? 'tomorrow' : this.#random.pick(TIMES)
  }

  /** Valid, never made by a store, and the same in every run of a seed. */
  #newId(): string {
    const hex = (digits: number): string =>
      this.#random
        .int(16 ** digits)
        .toString(16)
        .padStart(digits, '0')
    return `00${(++this.#made).toString(16).padStart(6, '0')}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
  }
}
