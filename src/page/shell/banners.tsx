/** What holds for the whole page until it no longer does. */
import type { VNode } from 'preact'
import { isConnected, workspace } from '../state.ts'
import { SampleBanner } from './sample-banner.tsx'

export function Banners(): VNode {
  return (
    <div class="banners">
      <div role="status">
        {!isConnected.value && (
          <p class="banner is-warning">
            <strong>The connection is lost.</strong> What you see may be out of date, and writing will fail until
            "keepsake serve" answers again. Trying…
          </p>
        )}
      </div>
      {workspace.value?.isSample === true && <SampleBanner />}
    </div>
  )
}
