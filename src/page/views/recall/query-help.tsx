/** Before anything is asked: what can be. */
import type { VNode } from 'preact'

const FORMS: readonly { readonly written: string; readonly means: string }[] = [
  { written: 'deploy checklist', means: 'one of these words; more of them, and rarer ones, come first' },
  { written: '"smoke tests"', means: 'these words together, in this order' },
  { written: 'deploy*', means: 'every word that begins so' },
  { written: 'deploy -staging', means: 'without what has this word' },
]

export function QueryHelp({ onExample }: { readonly onExample: (text: string) => void }): VNode {
  return (
    <section class="query-help" aria-labelledby="query-help">
      <h2 id="query-help">What can be asked</h2>
      <dl>
        {FORMS.map(({ written, means }) => (
          <div key={written}>
            <dt>
              <button type="button" class="is-quiet" onClick={() => onExample(written)}>
                <code>{written}</code>
              </button>
            </dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        A question in plain words will do. Endings, case and accents hardly count; the name of an entry, to the letter,
        comes first.
      </p>
    </section>
  )
}
