/**
 * Calls of tools, put together from pieces. The rule is one number for each call, but there are servers that send no number, or 0
 * for each: then a new id, or a name where there is no number, begins the next call.
 */
import { type JsonRecord, numberOf, recordOf, textOf } from './json-parts.ts'
import type { SentCall } from './tool-calls.ts'

interface Begun {
  readonly number: number | undefined
  id: string
  name: string
  /** A list, so that a thousand pieces are not copied a thousand times. */
  readonly texts: string[]
  whole?: unknown
}

export class OpenaiCalls {
  readonly #begun: Begun[] = []

  add(pieces: readonly unknown[]): void {
    for (const piece of pieces) this.#addOne(recordOf(piece))
  }

  get sent(): readonly SentCall[] {
    return this.#begun.map(({ id, name, texts, whole }) => ({ id, name, arguments: whole ?? texts.join('') }))
  }

  #addOne(piece: JsonRecord): void {
    const called = recordOf(piece['function'])
    const [id, name] = [textOf(piece['id']) ?? '', textOf(called['name']) ?? '']
    const number = numberOf(piece['index'])
    const call = this.#belonging(number, id, name) ?? this.#begin(number)
    if (id !== '') call.id = id
    if (name !== '' && call.name === '') call.name = name
    const args = called['arguments']
    if (typeof args === 'string') call.texts.push(args)
    else if (args !== undefined && args !== null) call.whole = args
  }

  #belonging(number: number | undefined, id: string, name: string): Begun | undefined {
    const last = this.#begun.findLast((one) => one.number === number)
    if (!last || (id !== '' && last.id !== '' && id !== last.id)) return undefined
    return number === undefined && name !== '' ? undefined : last
  }

  #begin(number: number | undefined): Begun {
    const call: Begun = { number, id: '', name: '', texts: [] }
    this.#begun.push(call)
    return call
  }
}
