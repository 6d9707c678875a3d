/** Parameters that several routes have. */
import type { Memory } from '../memory.ts'
import { type Condition, parseCondition } from '../model/condition.ts'
import { type DateRange, dateRange, lastInstant } from '../model/date-range.ts'
import { KIND_NAMES, type Kind } from '../model/kinds.ts'
import { choice, list, type Parameter, text, whole } from '../tools/parameters.ts'
import type { Call } from './route.ts'

type Text = Parameter<string, false>

export const AGENT: { readonly agent: Text } = { agent: text('Whose memory; left out, the agent that is served.') }

export const KINDS_ASKED: Parameter<readonly Kind[], false> = list(
  choice(KIND_NAMES),
  'Only these kinds; may be repeated.',
)

export const AS_OF: { readonly asOf: Text } = {
  asOf: text('The memory as it was then: 2026-11-15 (the end of that day), an instant, "3 days ago".'),
}

export const DATES: { readonly since: Text; readonly until: Text } = {
  since: text('From then on: 2026-11-15, an instant, "last week".'),
  until: text('Up to then; a day counts up to its end.'),
}

export const WHERE: Parameter<readonly Condition[], false> = list(
  { ...text(), check: (value) => parseCondition(String(value)) },
  'On metadata, such as project=apollo or sure>=0.8; all must hold; may be repeated.',
)

export function limit(byDefault: number, most: number): Parameter<number, false> {
  return whole(1, most, 'How many at the most.', byDefault)
}

interface Meant {
  readonly agent: string | undefined
  readonly asOf?: string | undefined
}

/** The memory that is asked about: this agent's, now or as it was. */
export async function memoryOf({ agent, asOf }: Meant, { served, signal }: Call): Promise<Memory> {
  const at = asOf === undefined ? undefined : lastInstant(asOf, await presentOf(served.memory))
  return served.of(agent, at, signal)
}

export async function datesOf(
  { since, until }: { readonly since: string | undefined; readonly until: string | undefined },
  memory: Memory,
): Promise<DateRange> {
  return since === undefined && until === undefined ? {} : dateRange({ since, until }, await presentOf(memory))
}

async function presentOf(memory: Memory): Promise<{ readonly zone: string; readonly nowMs: number }> {
  return { zone: (await memory.store.settings()).timezone, nowMs: memory.clock() }
}
