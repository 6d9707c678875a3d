/** `sett`, what every process that opens the file agrees on (Settings in ports/store.ts): one line of JSON, right behind the header. */
import { decodeLine, encodeLine } from './bytes.ts'

/** The parts of a payload. */
export function encodeSettings(settings: object): Uint8Array[] {
  return [encodeLine(settings)]
}

/** `payload`: one whose checksum is right, so that it is what encodeSettings was given. */
export function decodeSettings(payload: Uint8Array): unknown {
  return decodeLine(payload).value
}
