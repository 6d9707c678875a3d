/** What was searched and how the query was understood; for an empty answer that is the answer. */
import type { ComponentChildren, VNode } from 'preact'
import { MODE_TEXTS, meaningText, searchedText, understoodParts } from '../../../prompt/searched-text.ts'
import type { Searched } from '../../../recall/found.ts'
import { wholeText } from '../../parts/number-text.ts'
import { workspace } from '../../state.ts'
import { withWord } from './with-word.ts'

export interface SearchedNoteProps {
  readonly searched: Searched
  readonly warnings: readonly string[]
  /** With another query. */
  readonly onWord: (query: string) => void
}

export function SearchedNote({ searched, warnings, onWord }: SearchedNoteProps): VNode {
  const { mode, vectors, understood, nearest, query } = searched
  const notes = [...meaningText(searched), ...cutText(searched), ...warnings]
  return (
    <section class="searched" aria-labelledby="searched">
      <h2 id="searched">What was searched</h2>
      <dl>
        <Fact term="How">{MODE_TEXTS[mode]}</Fact>
        <Fact term="Where">{searchedText(searched, workspace.value?.zone ?? 'UTC')}</Fact>
        {vectors !== undefined && (
          <Fact term="Model">
            <code>{vectors.model}</code>
          </Fact>
        )}
        {understoodParts(understood).map(([called, texts]) => (
          <Fact key={called} term={CALLED[called] ?? called}>
            {texts}
          </Fact>
        ))}
        {/* Words that stand nowhere are no news where nobody looked for words. */}
        {(mode === 'semantic' ? [] : nearest).map(({ text, nearest: near }) => (
          <Fact key={text} term="Nowhere">
            <bdi>{text}</bdi>
            {near.length > 0 && (
              <span class="nearest">
                {' '}
                near it:{' '}
                {near.map((word) => (
                  <button
                    key={word}
                    type="button"
                    aria-label={`Search for ${word} in place of ${text}`}
                    onClick={() => onWord(withWord(query, text, word))}
                  >
                    <bdi>{word}</bdi>
                  </button>
                ))}
              </span>
            )}
          </Fact>
        ))}
      </dl>
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
    </section>
  )
}

/** As the server calls the parts, and as they stand here. */
const CALLED: Readonly<Record<string, string>> = {
  words: 'Words',
  phrases: 'Together',
  beginnings: 'Beginnings',
  without: 'Without',
  'too common': 'Too common',
}

function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function cutText({ understood: { cut } }: Searched): string[] {
  return cut === undefined ? [] : [`Only the first ${wholeText(cut)} characters of the query were read.`]
}
