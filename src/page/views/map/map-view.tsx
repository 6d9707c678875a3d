/** Entries placed by what they mean: what lies close together is about the same things. The map stands still until it is drawn anew. */
import type { VNode } from 'preact'
import type { MapAnswer } from '../../../api/contract.ts'
import { get } from '../../client.ts'
import { Failure } from '../../parts/failure.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { agent, shownRevision } from '../../state.ts'
import { DrawnMap } from './drawn-map.tsx'
import { NoMap } from './no-map.tsx'
import { PointField } from './point-field.ts'

export function MapView(): VNode {
  // Each entry more would move the others, under the eyes of whoever looks at them: so only when it is asked for.
  const { value, error, isLoading, reload } = useLoaded(
    async (signal) => {
      const drawnAt = shownRevision.value
      const answer = await get<MapAnswer>('/map', { agent: agent.value }, signal)
      // To read, to lay out and to draw ten thousand points are tasks of their own, so that keys and pointers are heard between them.
      await nextTask()
      const field = new PointField(answer.points)
      await nextTask()
      return { answer, field, drawnAt }
    },
    [agent.value],
  )
  if (value === undefined) {
    return (
      <div class="map is-empty">
        <h1>Map</h1>
        {error ? <Failure error={error} /> : <p class="loading">Placing the entries…</p>}
      </div>
    )
  }
  const { answer, field, drawnAt } = value
  if (answer.unsupported !== undefined || field.points.length === 0) {
    return <NoMap answer={answer} isLoading={isLoading} onAgain={reload} />
  }
  return (
    <DrawnMap field={field} missing={answer.missing}>
      {error && <Failure error={error} />}
      {(shownRevision.value !== drawnAt || isLoading) && (
        <p class="map-outdated" role="status">
          The memory may have changed since this was drawn.{' '}
          {/* Not `disabled`: that would take the focus away from it. */}
          <button type="button" aria-disabled={isLoading} onClick={isLoading ? undefined : reload}>
            {isLoading ? 'Drawing…' : 'Draw it anew'}
          </button>
        </p>
      )}
    </DrawnMap>
  )
}

async function nextTask(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve))
}
