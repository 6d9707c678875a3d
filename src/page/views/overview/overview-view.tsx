/** How the memory is doing: how it grows, what ends next, what nobody asks for, what is damaged, and how an agent gets to it. */
import type { VNode } from 'preact'
import type { Overview } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent, changed } from '../../state.ts'
import { Connect } from './connect.tsx'
import { Doctor } from './doctor.tsx'
import { Embeddings } from './embeddings.tsx'
import { Expiring } from './expiring.tsx'
import { Growth } from './growth.tsx'
import { MemorySize } from './memory-size.tsx'
import { Unrecalled } from './unrecalled.tsx'

export function OverviewView(): VNode {
  const { value, error, reload } = useLoaded(
    (signal) => get<Overview>('/overview', { agent: agent.value }, signal),
    [agent.value, changed.value.count],
  )
  return (
    <div class="overview">
      <header class="overview-head">
        <h1>Overview</h1>
        {value && (
          <p class="quiet">
            {counted(value.entries, 'entry', 'entries')}, and {counted(value.sessions, 'session', 'sessions')} of{' '}
            <bdi>{agent.value}</bdi>
          </p>
        )}
      </header>
      {error && (
        <Failure error={error}>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </Failure>
      )}
      {!value && !error && <p class="loading">Counting…</p>}
      {value && <Sections overview={value} />}
    </div>
  )
}

function Sections({ overview }: { readonly overview: Overview }): VNode {
  return (
    <>
      {overview.warnings.length > 0 && <Warnings warnings={overview.warnings} />}
      <Growth growth={overview.growth} />
      <MemorySize memory={overview.memory} />
      <Embeddings embeddings={overview.embeddings} />
      <Expiring entries={overview.expiring} />
      <Unrecalled unrecalled={overview.unrecalled} />
      <Doctor entries={overview.entries} />
      <Connect />
    </>
  )
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }): VNode {
  return (
    <section class="overview-warnings is-wide" aria-labelledby="overview-warnings">
      <h2 id="overview-warnings">What could not be read</h2>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  )
}

function counted(count: number, one: string, many: string): string {
  return `${wholeText(count)} ${count === 1 ? one : many}`
}
