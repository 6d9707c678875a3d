/**
 * What the line of each frame must say, one check a type. Whoever decodes a frame asks here first, so that everybody behind meets
 * only known shapes; a right checksum is no proof, for the file may come from anybody.
 */
import { isChangeWith } from '../change-shape.ts'
import { isCount, isHead, isListOf, isMapping, isText, isTime } from '../head-shape.ts'
import type { MeasuredBase } from './base.ts'
import type { Measure } from './bytes.ts'
import type { CatalogueLine, Extent, SessionRow } from './catalogue.ts'
import type { MeasuredChange } from './change.ts'
import type { KeptFileHead, SessionPart } from './named-bytes.ts'

type Values = Readonly<Record<string, unknown>>

export function isChange(value: unknown): value is MeasuredChange {
  return isChangeWith(value, isMeasure)
}

export function isBase(value: unknown): value is MeasuredBase {
  const isMeasured = (entry: unknown): boolean => isHead(entry) && 'content' in entry && isMeasure(entry.content)
  return isMapping(value) && isTime(value['since']) && isListOf(value['entries'], isMeasured)
}

export function isSession(value: unknown): value is SessionPart {
  return isMapping(value) && isText(value['scope']) && isKey(value['key'])
}

export function isKeptFile(value: unknown): value is KeptFileHead {
  const isNamed = (entry: unknown): boolean => isMapping(entry) && isText(entry['id']) && isText(entry['revision'])
  return isMapping(value) && isText(value['path']) && isListOf(value['entries'], isNamed)
}

export function isCatalogue(value: unknown): value is CatalogueLine {
  if (!isMapping(value)) return false
  const { epoch, number, nextSeq, firstOfEpoch, since, contested, bases, files, derived, sections } = value as Values
  return (
    isText(epoch) &&
    [number, nextSeq, firstOfEpoch].every(isCount) &&
    (since === undefined || isTime(since)) &&
    isListOf(contested, (pair) => isPair(pair, isText, isText)) &&
    isListOf(bases, isCount) &&
    isListOf(files, (pair) => isPair(pair, isText, isCount)) &&
    isListOf(derived, (pair) => isPair(pair, isText, isExtent)) &&
    isListOf(sections, (pair) => isPair(pair, isText, isCount))
  )
}

export function isSessionRow(value: unknown): value is SessionRow {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [scope, key, extents] = value
  return isText(scope) && isKey(key) && isListOf(extents, isExtent)
}

export function isMeasure(value: unknown): value is Measure {
  return isPair(value, isCount, isCount)
}

function isExtent(value: unknown): value is Extent {
  return Array.isArray(value) && value.length === 3 && value.every(isCount)
}

function isPair(value: unknown, first: (one: unknown) => boolean, second: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length === 2 && first(value[0]) && second(value[1])
}

/** A session becomes a file where the memory becomes a folder: any text but none, and no half character. */
function isKey(value: unknown): boolean {
  return isText(value) && value !== '' && value.isWellFormed()
}
