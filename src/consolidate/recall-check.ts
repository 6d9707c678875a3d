/**
 * Whether a rewrite of MEMORY.md breaks what people expect of their memory (`recall.tests.md`): tests that hold now, and would not
 * hold with it. Those that fail already do not count. Nothing is written, and without such a file nothing is searched.
 */
import { isKeepsakeError } from '../errors.ts'
import { checkRecallTest, parseRecallTests, RECALL_TESTS, type RecallTest } from '../eval/recall-tests.ts'
import { Memory } from '../memory.ts'
import type { Entry } from '../model/entry.ts'
import { newId } from '../model/id.ts'
import { instant } from '../model/time.ts'
import type { CallOptions } from '../ports/store.ts'
import type { LongTermMemory } from './long-term-memory.ts'
import { rewrittenStore } from './rewritten-store.ts'

export interface RecallCheck {
  /** As sentences. */
  readonly broken: readonly string[]
  readonly warnings: readonly string[]
}

export async function recallCheck(
  memory: Memory,
  now: LongTermMemory,
  content: string,
  call: CallOptions,
): Promise<RecallCheck> {
  const { tests, warnings } = await testsOf(memory)
  if (tests.length === 0) return { broken: [], warnings }
  const entry = now.entry ?? notYetThere(memory)
  const rewritten = new Memory(
    rewrittenStore(memory.store, entry, content),
    memory.agent,
    memory.clock,
    memory.settings,
  )
  const broken: string[] = []
  // Both by words: what is not written yet has no vectors.
  const options = { ...call, mode: 'lexical' } as const
  for (const test of tests) {
    call.signal?.throwIfAborted()
    if (!(await checkRecallTest(test, memory, options)).passed) continue
    const { passed, sentence } = await checkRecallTest(test, rewritten, options)
    if (!passed) broken.push(`${RECALL_TESTS}:${test.line} "${test.query}": ${sentence ?? 'It would no longer hold.'}`)
  }
  return { broken, warnings }
}

/** Tests that can't be read are told and keep nothing up. */
async function testsOf({ store }: Memory): Promise<{ tests: readonly RecallTest[]; warnings: readonly string[] }> {
  try {
    const text = await store.document(RECALL_TESTS)
    return { tests: text === undefined ? [] : parseRecallTests(text), warnings: [] }
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
    return { tests: [], warnings: [`the rewrite of MEMORY.md was not checked: ${error.message}`] }
  }
}

function notYetThere({ agent, clock }: Memory): Entry {
  const at = instant(clock())
  return {
    id: newId(clock()),
    seq: Number.MAX_SAFE_INTEGER,
    revision: '',
    scope: agent,
    kind: 'memory',
    name: 'MEMORY',
    aliases: [],
    description: '',
    content: '',
    metadata: {},
    createdAt: at,
    updatedAt: at,
    expiresAt: null,
    origin: { by: 'consolidation', agent },
  }
}
