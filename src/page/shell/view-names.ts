/** What the views are called in the navigation and in the window's title. */
import type { View } from '../route.ts'

export const VIEW_NAMES: Readonly<Record<View, string>> = {
  browse: 'Browse',
  recall: 'Recall',
  timeline: 'Timeline',
  changes: 'Changes',
  context: 'Context',
  overview: 'Overview',
  map: 'Map',
}
