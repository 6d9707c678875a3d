/** Where there is no map: why, and what would make one. */
import type { VNode } from 'preact'
import type { MapAnswer } from '../../../api/contract.ts'
import { Empty } from '../../parts/empty.tsx'

export function NoMap({ answer: { unsupported, missing } }: { readonly answer: MapAnswer }): VNode {
  return (
    <div class="map is-empty">
      <h1>Map</h1>
      <Empty>
        {unsupported !== undefined ? (
          <>
            <p>
              <strong>There is no map of this memory.</strong>
            </p>
            <p>{unsupported}</p>
            <p>
              A map is made of vectors, and those by a model that runs on this machine.{' '}
              <code>keepsake setup embeddings</code> installs it; then start <code>keepsake serve</code> again.
            </p>
          </>
        ) : missing > 0 ? (
          <p>
            {missing.toLocaleString('en')} entries are waiting for their vectors. They are made while the server runs;
            look again in a while.
          </p>
        ) : (
          <p>There is nothing to place yet. What an agent remembers appears here.</p>
        )}
      </Empty>
    </div>
  )
}
