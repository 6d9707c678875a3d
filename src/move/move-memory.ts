/**
 * A memory, copied from one store to another with everything that it is, and compared when it is there. The source stays as it
 * is. Nothing is written over: a target that holds this very memory is left alone, and any other is refused.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { Adopted, CallOptions, MemoryImage, Movable, Store } from '../ports/store.ts'
import { compareImages } from './compare-images.ts'
import { type ImageCounts, watchedImage } from './watched-image.ts'

export interface MoveStep {
  readonly doing: 'Copying' | 'Comparing'
  readonly done: number
  readonly total: number
}

export interface MoveOptions extends CallOptions {
  readonly onProgress?: (step: MoveStep) => void
  /** `false`: leave no trace in the source; what hands did there is copied all the same. */
  readonly absorb?: boolean
}

export interface Moved extends ImageCounts {
  /** An earlier try had been cut short, and this one went on from there. */
  readonly resumed: boolean
  readonly warnings: readonly string[]
  /** The target held this very memory before; nothing was written. */
  readonly alreadyThere?: true
}

/** A source that is written to all the time is copied as of one moment in the end, and that is said. */
const MOST_TRIES = 3

export async function moveMemory(from: Store & Movable, to: Movable, options: MoveOptions = {}): Promise<Moved> {
  const absorbed = options.absorb === false ? [] : (await from.absorb(signalOf(options))).warnings
  const copy = await adoptSettled(from, to, options)
  const { image, adopted, counts, tries } = copy
  const wentOn = adopted ? await compareWithSource(copy, from, to, options) : []
  const warnings = [
    ...absorbed,
    ...image.warnings,
    ...(adopted?.warnings ?? []),
    ...(tries > 1 ? ['The source was written to meanwhile; it was copied anew.'] : []),
    ...wentOn,
  ]
  return { ...counts, resumed: adopted?.resumed ?? false, warnings, ...(adopted ? {} : { alreadyThere: true }) }
}

interface Copy {
  readonly image: MemoryImage
  /** Missing: it was there already. */
  readonly adopted?: Adopted
  readonly counts: ImageCounts
  readonly sessionBytes: ReadonlyMap<string, number>
  readonly tries: number
}

async function adoptSettled(from: Store & Movable, to: Movable, options: MoveOptions): Promise<Copy> {
  const { onProgress } = options
  for (let tries = 1; ; tries++) {
    const image = await from.image(signalOf(options))
    const watched = watchedImage(image, tries < MOST_TRIES ? from : undefined)
    const { counts, sessionBytes } = watched
    try {
      const adopted = await to.adopt(watched.image, {
        ...signalOf(options),
        ...(onProgress ? { onProgress: (done, total) => onProgress({ doing: 'Copying', done, total }) } : {}),
      })
      return { image, adopted, counts, sessionBytes, tries }
    } catch (error) {
      if (watched.wentOn) continue
      if (!isKeepsakeError(error) || error.code !== 'CONFLICT') throw error
      const there = watchedImage(image)
      await refuseOther(there.image, to, error, options)
      return { image, counts: there.counts, sessionBytes, tries }
    }
  }
}

/** Something is there already: it is either this memory, or nothing to write over. */
async function refuseOther(
  image: MemoryImage,
  to: Movable,
  refusal: KeepsakeError,
  options: MoveOptions,
): Promise<void> {
  const differences = await compareImages(image, await to.image(signalOf(options)), signalOf(options))
  if (differences.length === 0) return
  throw new KeepsakeError('CONFLICT', `${refusal.message}, and it is not this memory: ${differences[0]}`, {
    hint: 'Nothing was changed. Name another target, or move that one away first.',
    data: { ...refusal.data, differences },
    cause: refusal,
  })
}

/** What is to be told although both sides are equal; one that is not is an error. */
async function compareWithSource(
  { image, counts, sessionBytes }: Copy,
  from: Store & Movable,
  to: Movable,
  options: MoveOptions,
): Promise<readonly string[]> {
  const { onProgress } = options
  const later: string[] = []
  const now = await from.image(signalOf(options))
  const hasGoneOn = now.cursor.epoch !== image.cursor.epoch || now.cursor.number !== image.cursor.number
  // Where nothing but transcripts can have changed, the image of now tells which of them did.
  const source = hasGoneOn ? image : { ...image, sessions: () => now.sessions() }
  const differences = await compareImages(source, await to.image(signalOf(options)), {
    ...signalOf(options),
    ...(onProgress ? { onProgress: (done) => onProgress({ doing: 'Comparing', done, total: counts.entries }) } : {}),
    ...(hasGoneOn ? {} : { later: { copied: sessionBytes, onWentOn: (session) => later.push(session) } }),
  })
  if (differences.length > 0) throw unequalError(differences)
  return [
    ...(hasGoneOn
      ? [`The source went on while it was copied; the copy has it as of change ${image.cursor.number}.`]
      : []),
    ...later.map(
      (session) => `The source's ${session} went on while it was copied; the copy has what was there before.`,
    ),
  ]
}

function unequalError(differences: readonly string[]): KeepsakeError {
  return new KeepsakeError('DAMAGED', `the copy is not equal to its source ("here"): ${differences.join('; ')}`, {
    hint: 'The source is as it was. Do not use the copy: move it away, and try again.',
    data: { differences },
  })
}

function signalOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal }
}
