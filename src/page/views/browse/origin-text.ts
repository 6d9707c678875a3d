/** Who wrote an entry, and in which session. */
import type { Origin } from '../../../model/entry.ts'
import { originText as whoText } from '../../parts/origin-text.ts'

export function originText(origin: Origin): string {
  return origin.session === undefined ? whoText(origin) : `${whoText(origin)}, session ${origin.session}`
}
