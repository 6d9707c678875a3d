/** `[2026-11-16 14:05]`: how a history entry begins, by the clocks of the memory's zone. Pure. */
import { localTime } from '../model/time.ts'

export function timeStamp(at: string, zone: string): string {
  const { day, time } = localTime(at, zone)
  return `[${day} ${time}]`
}
