// The account of what many writers were promised: nothing lost, nothing doubled, nothing torn. Each thing is in the state that
// was acknowledged last, or in the one that was being written when its writer died.

import { entriesOf, sessionsOf } from './workspace.mjs'
import { SHARED_NOTE } from './writer.mjs'

export class Accounts {
  #things = new Map()
  acknowledged = 0

  /**
   * Takes in the lines of a writer. A last line without its end was torn by the kill, and was no promise; nor is any line
   * after `promised`, which were printed when the power was going already.
   */
  take(stdout, promised = Number.POSITIVE_INFINITY) {
    for (const [number, line] of stdout.split('\n').slice(0, -1).entries()) {
      if (line === 'ready') continue
      const event = line.slice(0, line.indexOf(' '))
      const facts = JSON.parse(line.slice(event.length + 1))
      const thing = this.#things.get(facts.thing) ?? { states: [null], least: 0 }
      this.#things.set(facts.thing, thing)
      if (event === 'try') thing.states.push(facts.state)
      if (event !== 'ack' || number >= promised) continue
      this.acknowledged++
      thing.least = thing.states.length - 1
      thing.promise = facts
    }
  }

  /** Throws with all that is not as it should be. */
  async check(store) {
    const problems = [...this.#wrongEntries(await entriesOf(store)), ...this.#wrongLines(await sessionsOf(store))]
    problems.push(...this.#wrongChanges(await store.feed()))
    if (problems.length > 0) throw new Error(`${problems.length} problems:\n${problems.slice(0, 10).join('\n')}`)
  }

  *#wrongEntries(entries) {
    const shared = entries.filter(({ name }) => name === SHARED_NOTE)
    if (shared.length > 1) yield `there are ${shared.length} shared notes`
    const found = new Map()
    for (const entry of entries) {
      const thing = ownerOf(entry.content === 'x' ? entry.name : entry.content)
      if (!this.#things.has(thing)) {
        if (!entry.content.startsWith('one more, ')) yield `${entry.id} is of nobody: ${entry.content}`
      } else if (entry.name !== SHARED_NOTE) found.set(thing, [...(found.get(thing) ?? []), entry])
    }
    const sharedPromised = [...this.#things.values()].some(({ states, promise }) => promise && states[1]?.shared)
    if (sharedPromised && shared.length === 0) yield 'the shared note is lost'
    const sharedTexts = new Set([...this.#things.values()].map(({ states }) => states[1]?.shared))
    for (const { content } of shared) if (!sharedTexts.has(content)) yield `the shared note is torn: ${content}`

    for (const [name, { states, least, promise }] of this.#things) {
      if (states[1].line !== undefined || states[1].shared !== undefined) continue
      const here = found.get(name) ?? []
      if (here.length > 1) yield `${name} is there ${here.length} times`
      const [entry] = here
      const is = entry === undefined ? null : { kind: entry.kind, name: entry.name, content: entry.content }
      const allowed = states.slice(least).map((state) => JSON.stringify(state))
      if (!allowed.includes(JSON.stringify(is))) yield `${name} is ${JSON.stringify(is)}, allowed ${allowed}`
      else if (promise && entry && states.length - 1 === least) {
        if (entry.id !== promise.id || entry.revision !== promise.revision) yield `${name} is not what was acknowledged`
      }
    }
  }

  *#wrongLines(sessions) {
    const counts = new Map()
    for (const { key, records, broken } of sessions) {
      if (broken.length > 0) yield `session ${key} is broken: ${JSON.stringify(broken)}`
      for (const { line } of records) counts.set(line, (counts.get(line) ?? 0) + 1)
    }
    for (const [name, { states, promise }] of this.#things) {
      const { line } = states[1]
      if (line === undefined) continue
      const count = counts.get(line) ?? 0
      counts.delete(line)
      if (count > 1 || (promise && count === 0)) yield `line ${name} is there ${count} times`
    }
    for (const line of counts.keys()) yield `line "${line}" is of nobody`
  }

  /** Every acknowledged change is in the journal under its number, and each text was journaled once. */
  *#wrongChanges({ changes }) {
    const byNumber = new Map(changes.map((change) => [change.number, change]))
    if (byNumber.size !== changes.length) yield 'two changes have one number'
    const earliest = changes[0]?.number ?? 0
    for (const [name, { promise }] of this.#things) {
      if (promise?.number === undefined || promise.number < earliest) continue
      const ids = byNumber.get(promise.number)?.operations.map(({ id }) => id) ?? []
      if (!ids.includes(promise.id)) yield `change ${promise.number} of ${name} is not in the journal`
    }
  }
}

/** Texts and names begin with the thing's own name. */
function ownerOf(text) {
  return text.split(' ')[0]
}
