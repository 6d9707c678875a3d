/**
 * What people expect of their own memory, as lines of `recall.tests.md`: "when do we deploy -> must find Deploys". A line
 * with an arrow is a test, plain or in a list; headings, comments and all other text are the writer's own. A line with an arrow that
 * does not say what must be found is an error, for a test that is passed over would look as if it held.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import type { Found, SearchOptions, WhyNot } from '../recall/found.ts'

export const RECALL_TESTS = 'recall.tests.md'

export interface RecallTest {
  readonly line: number
  readonly query: string
  readonly expect: 'find' | 'not find'
  /** A name, an alias or an id. */
  readonly name: string
}

export interface TestResult extends RecallTest {
  readonly passed: boolean
  /** Its place among the hits, from 1. */
  readonly rank?: number
  /** Why a test failed, or what is odd about one that holds. */
  readonly sentence?: string
}

/** What is needed of a memory; a Memory has it all. */
export interface TestedMemory {
  find(ref: string): Promise<Entry>
  search(query: string, options: SearchOptions): Promise<Found>
  whyNot(query: string, ref: string, options: SearchOptions): Promise<WhyNot>
}

const ARROW = /->|→/
const LIST_MARK = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?/
const DEMAND = /^must (not )?find\s+(\S.*)$/i

export function parseRecallTests(text: string): readonly RecallTest[] {
  return linesOutsideComments(text).flatMap((line, index): RecallTest[] => {
    const body = line.replace(LIST_MARK, '').trim()
    if (body.startsWith('#') || !ARROW.test(body)) return []
    return [testOf(body, index + 1)]
  })
}

function testOf(body: string, line: number): RecallTest {
  // The last arrow counts: a query may be about arrows, a name hardly.
  const at = Math.max(body.lastIndexOf('->'), body.lastIndexOf('→'))
  const query = unquoted(body.slice(0, at).trim(), '`')
  const demand = DEMAND.exec(body.slice(at).replace(/^(?:->|→)\s*/, ''))
  const name = unquoted(unquoted(demand?.[2] ?? '', '`'), '"')
  if (demand && query !== '' && name !== '') {
    return { line, query, expect: demand[1] === undefined ? 'find' : 'not find', name }
  }
  throw new KeepsakeError('INVALID', `${RECALL_TESTS}:${line} is no test: "${body}"`, {
    hint: 'Write "query -> must find NAME" or "query -> must not find NAME"; text without an arrow is passed over.',
    data: { path: RECALL_TESTS, line },
  })
}

/** Comments become blank lines, so that the numbers of the others stay. */
function linesOutsideComments(text: string): string[] {
  return text.replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replace(/[^\n]+/g, '')).split('\n')
}

function unquoted(text: string, mark: string): string {
  const inner = text.length > 2 && text.startsWith(mark) && text.endsWith(mark) ? text.slice(1, -1) : undefined
  return inner === undefined || inner.includes(mark) ? text : inner.trim()
}

export async function checkRecallTest(
  test: RecallTest,
  memory: TestedMemory,
  options: SearchOptions,
): Promise<TestResult> {
  const { query, name, expect } = test
  const { hits } = await memory.search(query, options)
  const meant = await entryCalled(name, memory)
  if ('missing' in meant) return { ...test, passed: expect === 'not find', sentence: meant.missing }
  const { entry } = meant
  const rank = hits.findIndex((hit) => hit.entry.id === entry.id) + 1
  if (rank > 0) {
    return expect === 'find'
      ? { ...test, passed: true, rank }
      : { ...test, passed: false, rank, sentence: `It is hit ${rank} of ${hits.length}.` }
  }
  if (expect === 'not find') return { ...test, passed: true }
  return { ...test, passed: false, sentence: (await memory.whyNot(query, entry.id, options)).sentence }
}

/** A name that is gone makes "must find" fail; "must not find" holds, but whoever wrote it should know. */
async function entryCalled(
  name: string,
  memory: TestedMemory,
): Promise<{ readonly entry: Entry } | { readonly missing: string }> {
  try {
    return { entry: await memory.find(name) }
  } catch (error) {
    if (!isKeepsakeError(error) || error.code !== 'NOT_FOUND') throw error
    const { message, hint, data } = error
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
    const isNear = Array.isArray(data['near']) && data['near'].length > 0
    return { missing: isNear ? `${sentence} ${hint}` : sentence }
  }
}
