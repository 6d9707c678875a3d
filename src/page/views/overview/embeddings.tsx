/** How far search by meaning is: which model makes the vectors, and how many entries have theirs. */
import type { VNode } from 'preact'
import type { Overview } from '../../../api/contract.ts'
import { wholeText } from '../../parts/number-text.ts'
import { Bar } from './bar.tsx'
import { Panel } from './panel.tsx'

type EmbeddingState = Overview['embeddings']

export function Embeddings({ embeddings }: { readonly embeddings: EmbeddingState }): VNode {
  const { model, problem } = embeddings
  return (
    <Panel title="Search by meaning">
      {model === undefined ? <ByWordsOnly /> : <Vectors model={model} embeddings={embeddings} />}
      {problem !== undefined && <p class="overview-problem">{problem}</p>}
    </Panel>
  )
}

function ByWordsOnly(): VNode {
  return (
    <>
      <p>
        <strong>By words only: no model.</strong>
      </p>
      <p class="hint">
        <code>keepsake setup embeddings</code> installs one that runs on this machine; then start{' '}
        <code>keepsake serve</code> again.
      </p>
    </>
  )
}

function Vectors({ model, embeddings }: { readonly model: string; readonly embeddings: EmbeddingState }): VNode {
  const { loaded, entries: done, pending, refused } = embeddings
  const all = done + pending + refused
  const text = `${wholeText(done)} of ${wholeText(all)} entries have their vector`
  return (
    <>
      <p>
        <strong>{text}</strong>
      </p>
      <Bar role="progressbar" label="Embedding" value={done} most={all} text={text} />
      <p class="hint">
        <bdi>{model}</bdi>
        {!loaded && ', not loaded yet'}
        {pending > 0 && `; ${wholeText(pending)} pending: until then they are found by their words`}
        {refused > 0 && `; ${wholeText(refused)} refused by the model: found by their words alone`}.
      </p>
    </>
  )
}
