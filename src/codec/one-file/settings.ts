/** `sett`, what every process that opens the file agrees on (Settings in ports/store.ts): one line of JSON, right behind the header. */
import { isMapping } from '../head-shape.ts'
import { encodeLine } from './bytes.ts'
import { decodeLine, type PayloadPlace } from './malformed.ts'

/** The parts of a payload. */
export function encodeSettings(settings: object): Uint8Array[] {
  return [encodeLine(settings)]
}

/** What stands there under each name: nobody knows yet whether it may be believed (see stores/disk/checked-settings.ts). */
export function decodeSettings(payload: Uint8Array, place: PayloadPlace): Readonly<Record<string, unknown>> {
  return decodeLine(payload, place, isMapping).value
}
