/** Above an editor: that somebody else has written the entry meanwhile, as soon as it is known. */
import type { VNode } from 'preact'
import type { Entry } from '../../../model/entry.ts'
import { Moment } from '../../parts/moment.tsx'
import { originText } from './origin-text.ts'

export interface OutdatedNoteProps {
  readonly isOutdated: boolean
  readonly now: Entry
  readonly isGone: boolean
  readonly onShow: () => void
}

export function OutdatedNote({ isOutdated, now, isGone, onShow }: OutdatedNoteProps): VNode {
  return (
    // There from the start, so that a screen reader speaks when it fills.
    <div role="status">
      {isOutdated && (
        <div class="outdated">
          <p>
            {isGone ? (
              <strong>This entry was removed while you were writing.</strong>
            ) : (
              <>
                <strong>This entry changed while you were writing</strong>: by {originText(now.origin)},{' '}
                <Moment at={now.updatedAt} />.
              </>
            )}{' '}
            Your text is still here.
          </p>
          <button type="button" onClick={onShow}>
            {isGone ? 'Decide' : 'Compare'}
          </button>
        </div>
      )}
    </div>
  )
}
