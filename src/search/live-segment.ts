/**
 * The segment that takes new documents: small, sealed after a few hundred of them, and merged into a frozen one. Maps for
 * ids and terms, because they change with every write, and growing arrays for all else, because they cost the garbage
 * collector nothing.
 */
import type { Analyzer } from './analyzer.ts'
import { Bits } from './bits.ts'
import { CountCodes } from './count-codes.ts'
import type { Document } from './document.ts'
import { groupNumber } from './group-number.ts'
import { GrowingBytes, GrowingNumbers } from './growing.ts'
import { PostingChains } from './posting-chains.ts'
import { RecentTerms } from './recent-terms.ts'
import {
  addLengths,
  changeTermCounts,
  comparePlaces,
  type FieldLengths,
  type Postings,
  type Segment,
  subtractLengths,
} from './segment.ts'
import { encode } from './utf8.ts'

export class LiveSegment implements Segment {
  documents = 0
  readonly removed: Bits = new Bits(new Uint32Array(8))
  readonly lengthSums: Float64Array
  readonly squareSums: Float64Array
  fieldLengths: FieldLengths
  readonly #fields: number
  readonly #codes: CountCodes

  readonly #documentOf = new Map<string, number>()
  /** Each document's id and then its stored text, and where these end. */
  readonly #texts = new GrowingBytes()
  readonly #textEnds = new GrowingNumbers()
  readonly #ids: string[] = []
  readonly #groups: number[] = []
  readonly #positions: number[] = []
  readonly #columns: (readonly number[])[] = []

  readonly #termOf = new Map<string, number>()
  readonly #recentTerms = new RecentTerms()
  readonly #terms: string[] = []
  /** By term: whether it makes a text longer, which common ones do not. */
  readonly #lengthOf = new GrowingNumbers()
  readonly #chains = new PostingChains()
  readonly #tokens = new GrowingNumbers()
  readonly #tokenEnds = new GrowingNumbers()

  /** While a document is added: by term, where its counts stand among `#newCounts`, if they belong to this document. */
  readonly #slotOf = new GrowingNumbers()
  /** The document + 1. */
  readonly #slotOwner = new GrowingNumbers()
  readonly #newTerms: number[] = []
  readonly #newCounts: number[] = []

  constructor(fields: number) {
    this.#fields = fields
    this.lengthSums = new Float64Array(fields)
    this.squareSums = new Float64Array(fields)
    this.#codes = new CountCodes(fields)
    this.fieldLengths = { values: new Uint16Array(fields * 64), stride: 64 }
  }

  get counts(): Uint32Array {
    return this.#codes.counts.values
  }

  get codes(): number {
    return this.#codes.size
  }

  get terms(): number {
    return this.#terms.length
  }

  /** Gives how many tokens it has. The id must not be here yet, or be removed. */
  add(document: Document, analyzer: Analyzer): number {
    const number = this.documents
    const start = this.#tokens.length
    this.#newTerms.length = 0
    this.#newCounts.length = 0
    let field = 0
    let length = 0
    const emit = (term: string): void => {
      const known = this.#recentTerms.get(term)
      const which = known >= 0 ? known : this.#termNumber(term, analyzer)
      this.#count(number, field, which)
      length += this.#lengthOf.values[which] as number // it has one for each term
    }
    for (field = 0; field < this.#fields; field++) {
      if (field > 0) this.#tokens.push(0)
      length = 0
      analyzer.tokens(document.texts[field] ?? '', emit)
      this.#setLength(number, field, length)
    }
    addLengths(this, number)
    for (let slot = 0; slot < this.#newTerms.length; slot++) {
      this.#chains.add(this.#newTerms[slot] ?? 0, number, this.#codes.codeOf(this.#newCounts, slot * this.#fields))
    }
    this.#tokenEnds.push(this.#tokens.length)
    this.#documentOf.set(document.id, number)
    this.#ids.push(document.id)
    this.#texts.appendText(document.id)
    this.#textEnds.push(this.#texts.length)
    this.#texts.appendText(document.stored)
    this.#textEnds.push(this.#texts.length)
    this.#groups.push(groupNumber(document.group ?? ''))
    this.#positions.push(document.position ?? 0)
    this.#columns.push([...document.columns])
    this.documents++
    return this.#tokens.length - start
  }

  /** Nothing is added after this. */
  seal(): void {
    this.#chains.layOut(this.codes)
  }

  #setLength(document: number, field: number, length: number): void {
    const { values, stride } = this.fieldLengths
    const narrow = values instanceof Uint16Array && length <= 65_535
    if (document >= stride || (length > 65_535 && values instanceof Uint16Array)) {
      const wanted = document < stride ? stride : stride * 2
      const grown = narrow ? new Uint16Array(this.#fields * wanted) : new Uint32Array(this.#fields * wanted)
      for (let i = 0; i < this.#fields; i++) grown.set(values.subarray(i * stride, (i + 1) * stride), i * wanted)
      this.fieldLengths = { values: grown, stride: wanted }
    }
    this.fieldLengths.values[field * this.fieldLengths.stride + document] = length
  }

  #termNumber(term: string, analyzer: Analyzer): number {
    const number = this.#termOf.get(term) ?? this.#newTerm(term, analyzer)
    this.#recentTerms.set(term, number)
    return number
  }

  #newTerm(term: string, analyzer: Analyzer): number {
    if (!term.isWellFormed()) {
      // As it will be read back from UTF-8: the same term before and after freezing.
      const number = this.#termNumber(term.toWellFormed(), analyzer)
      this.#termOf.set(term, number)
      return number
    }
    const number = this.#terms.length
    this.#termOf.set(term, number)
    this.#terms.push(term)
    this.#lengthOf.push(analyzer.commonTerms?.has(term) ? 0 : 1)
    this.#chains.addTerm()
    this.#slotOf.push(0)
    this.#slotOwner.push(0)
    return number
  }

  #count(document: number, field: number, term: number): void {
    this.#tokens.push(term + 1)
    const owners = this.#slotOwner.values
    const slots = this.#slotOf.values
    if (owners[term] !== document + 1) {
      owners[term] = document + 1
      slots[term] = this.#newTerms.length
      this.#newTerms.push(term)
      for (let i = 0; i < this.#fields; i++) this.#newCounts.push(0)
    }
    const at = (slots[term] ?? 0) * this.#fields + field
    this.#newCounts[at] = (this.#newCounts[at] ?? 0) + 1
  }

  find(id: string): number {
    return this.#documentOf.get(id) ?? -1
  }

  id(document: number): string {
    return this.#ids[document] ?? ''
  }

  idBytes(document: number): Uint8Array {
    return this.#text(2 * document)
  }

  storedBytes(document: number): Uint8Array {
    return this.#text(2 * document + 1)
  }

  #text(which: number): Uint8Array {
    const ends = this.#textEnds.values
    return this.#texts.bytes.subarray(which === 0 ? 0 : ends[which - 1], ends[which])
  }

  group(document: number): number {
    return this.#groups[document] ?? 0
  }

  position(document: number): number {
    return this.#positions[document] ?? 0
  }

  column(document: number, column: number): number {
    return this.#columns[document]?.[column] ?? 0
  }

  members(group: number): number[] {
    const members: number[] = []
    for (const [document, other] of this.#groups.entries()) {
      if (other === group && !this.removed.has(document)) members.push(document)
    }
    return members.sort((a, b) => this.#comparePlace(a, this.position(b), this.id(b)))
  }

  #comparePlace(document: number, position: number, id: string): number {
    return comparePlaces(this.position(document), this.id(document), position, () => id)
  }

  findTerm(term: string): number {
    return this.#termOf.get(term) ?? this.#termOf.get(term.toWellFormed()) ?? -1
  }

  termBytes(term: number): Uint8Array {
    return encode(this.#terms[term] ?? '')
  }

  termInOrder(rank: number): number {
    return rank
  }

  termsWithPrefix(prefix: string): number[] {
    const found: number[] = []
    const wellFormed = prefix.toWellFormed()
    for (const [number, term] of this.#terms.entries()) if (term.startsWith(wellFormed)) found.push(number)
    return found
  }

  documentsWith(term: number): number {
    return this.#chains.documentsWith[term] ?? 0
  }

  postings(term: number): Postings {
    return this.#chains.postings(term, this.codes)
  }

  tokens(document: number): Uint32Array {
    const ends = this.#tokenEnds.values
    return this.#tokens.values.subarray(document === 0 ? 0 : ends[document - 1], ends[document])
  }

  remove(document: number): void {
    this.#documentOf.delete(this.id(document))
    this.removed.add(document)
    subtractLengths(this, document)
    changeTermCounts(this.tokens(document), this.#chains.documentsWith, -1)
  }
}
