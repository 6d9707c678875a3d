/** The map with all that belongs to it: what is searched for, which kinds are shown, and the list of what is in sight. */
import type { ComponentChildren, VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Kind } from '../../../model/kinds.ts'
import { Failure } from '../../parts/failure.tsx'
import { wholeText } from '../../parts/number-text.ts'
import { go, href, route } from '../../route.ts'
import type { Frame } from './camera.ts'
import { KindLegend } from './kind-legend.tsx'
import { MapCanvas } from './map-canvas.tsx'
import { addressWith, type MapQuery, queryIn } from './map-query.ts'
import { MapSearch } from './map-search.tsx'
import { type Place, PlaceList } from './place-list.tsx'
import type { PointField } from './point-field.ts'
import { useHits } from './use-hits.ts'

export interface DrawnMapProps {
  readonly field: PointField
  readonly missing: number
  /** What is to be said about it all. */
  readonly children: ComponentChildren
}

export function DrawnMap({ field, missing, children }: DrawnMapProps): VNode {
  const query = queryIn(route.value.query)
  const hiddenKinds = [...query.hidden].join()
  const [target, setTarget] = useState<number | undefined>(undefined)
  const [frame, setFrame] = useState<Frame | undefined>(undefined)
  const { found, error } = useHits(query.text, field)

  const isShown = useMemo(() => {
    const shown = field.kinds.map((kind) => !query.hidden.has(kind))
    return (index: number) => shown[field.kindOf[index] ?? 0] === true
  }, [field, hiddenKinds])
  const inSight = useMemo(() => field.within(frame ?? EVERYTHING, isShown), [field, frame, isShown])
  const counts = useMemo(() => countsOf(field), [field])
  const hits = useMemo(() => found && new Set(found.flatMap(({ index }) => index ?? [])), [found])

  const change = (next: Partial<MapQuery>): void =>
    go(href('map', addressWith(route.value.query, { ...query, ...next })), { replace: true })

  return (
    <div class="map fills-screen">
      <header class="map-head">
        <h1>Map</h1>
        <MapSearch text={query.text} onText={(text) => change({ text })} />
        <p class="hint">
          What lies close together is about the same things.
          {missing > 0 && ` ${wholeText(missing)} are not on it: they have no vector yet, or are too many.`}
        </p>
        {children}
      </header>
      <MapCanvas
        field={field}
        isShown={isShown}
        hits={hits}
        target={target}
        onTarget={setTarget}
        onOpen={(index) => open(field.points[index]?.id)}
        onFrame={setFrame}
      />
      <section class="map-side" aria-label="Entries on the map">
        <KindLegend counts={counts} hidden={query.hidden} onHidden={(hidden) => change({ hidden })} />
        {error && <Failure error={error} />}
        {found ? (
          <>
            <h2>
              <span role="status">{foundText(found)}</span>
            </h2>
            <PlaceList label="Found" total={found.length} place={(row) => found[row]} onTarget={setTarget} />
          </>
        ) : (
          <>
            <h2>{wholeText(inSight.length)} in sight</h2>
            <PlaceList
              label="In sight"
              total={inSight.length}
              place={(row) => placeAt(field, inSight[row])}
              onTarget={setTarget}
            />
          </>
        )}
      </section>
    </div>
  )
}

const EVERYTHING: Frame = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }

function placeAt(field: PointField, index: number | undefined): Place | undefined {
  const point = index === undefined ? undefined : field.points[index]
  return point && index !== undefined ? { id: point.id, kind: point.kind, label: point.label, index } : undefined
}

function countsOf(field: PointField): ReadonlyMap<Kind, number> {
  const counts = new Map<Kind, number>()
  for (const { kind } of field.points) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return new Map([...counts].sort(([, a], [, b]) => b - a))
}

function foundText(found: readonly Place[]): string {
  const placed = found.filter(({ index }) => index !== undefined).length
  if (placed === found.length) return `${found.length} found`
  return `${found.length} found, ${placed} of them on the map`
}

function open(id: string | undefined): void {
  if (id !== undefined) go(href('browse', { entry: id, agent: route.value.query['agent'] }))
}
