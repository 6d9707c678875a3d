/** Where nothing is recalled: that it is so, and how to see more. */
import type { VNode } from 'preact'
import { NavLink } from '../../parts/nav-link.tsx'
import { firstCharacters } from '../../parts/shortened.ts'
import { href, route } from '../../route.ts'
import { PART_NAMES } from './part-names.ts'

export function RecallNote({ message }: { readonly message: string }): VNode {
  const isBlank = message.trim() === ''
  return (
    <section class="context-part" aria-labelledby="no-recall">
      <div class="context-part-head">
        <h2 id="no-recall" class="share-name is-recall">
          {PART_NAMES.recall.name}
        </h2>
        <p class="quiet small">
          {isBlank
            ? 'Write what a user would say, and see what is found for it.'
            : 'Nothing is given for this message: either nothing is found for it, or auto_recall is off.'}
        </p>
        {!isBlank && (
          <NavLink to={href('recall', { q: firstCharacters(message, 500), agent: route.value.query['agent'] })}>
            Search for it
          </NavLink>
        )}
      </div>
    </section>
  )
}
