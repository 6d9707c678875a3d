/**
 * Copies a memory from one store to another, and compares the copy with its source before it is published. The source stays as it is.
 * Nothing is overwritten: a target that holds this very memory is left alone, and any other is refused.
 */
import { isKeepsakeError, KeepsakeError } from '../errors.ts'
import type { CallOptions, MemoryImage, Movable, Store } from '../ports/store.ts'
import { compareImages } from './compare-images.ts'
import { countImage, type ImageCounts, type WatchedImage, watchedImage, withImage } from './watched-image.ts'

export interface MoveStep {
  readonly doing: 'Copying' | 'Comparing'
  readonly done: number
  readonly total: number
}

export interface MoveOptions extends CallOptions {
  readonly onProgress?: (step: MoveStep) => void
  /** `false`: doesn't record external edits in the source first. They are copied anyway. */
  readonly absorb?: boolean
  /** Present entries only, for a target that keeps no history. Default: `false`. */
  readonly withoutHistory?: boolean
}

export interface Moved extends ImageCounts {
  readonly warnings: readonly string[]
  /** The target already held this very memory; nothing was written. */
  readonly alreadyThere?: true
}

interface CompareMoveOptions extends MoveOptions {
  readonly presentOnly: boolean
}

/** If the source keeps changing, the last try copies it as of one moment, with a warning. */
const MAX_TRIES = 3

export async function moveMemory(
  from: Store & Movable,
  to: Store & Movable,
  options: MoveOptions = {},
): Promise<Moved> {
  const absorbed = options.absorb === false ? [] : (await from.absorb(signalOf(options))).warnings
  for (let tries = 1; ; tries++) {
    const moved = await withImage(from, signalOf(options), async (image): Promise<Moved | undefined> => {
      const watched = watchedImage(image, tries < MAX_TRIES ? from : undefined)
      try {
        const copied = await copy(watched, from, to, options)
        const again = tries > 1 ? ['The source changed while it was being copied; it was copied again.'] : []
        const left = options.withoutHistory ? leftBehind(await countImage(image)) : []
        return { ...watched.counts, warnings: [...absorbed, ...image.warnings, ...again, ...copied, ...left] }
      } catch (error) {
        if (watched.sourceChanged) return undefined
        if (!isKeepsakeError(error) || error.code !== 'CONFLICT') throw error
        const counted = watchedImage(image)
        await refuseOtherMemory(counted.image, to, error, { ...options, presentOnly: isPresentOnly(from, to) })
        return { ...counted.counts, warnings: [...absorbed, ...image.warnings], alreadyThere: true }
      }
    })
    if (moved) return moved
  }
}

/** Returns warnings. */
async function copy(
  watched: WatchedImage,
  from: Store & Movable,
  to: Store & Movable,
  options: MoveOptions,
): Promise<readonly string[]> {
  const { onProgress } = options
  const changeWarnings: string[] = []
  const { warnings } = await to.adopt(watched.image, {
    ...signalOf(options),
    ...(options.withoutHistory ? { withoutHistory: true } : {}),
    ...(onProgress ? { onProgress: (done, total) => onProgress({ doing: 'Copying', done, total }) } : {}),
    check: async (built) => {
      const presentOnly = isPresentOnly(from, to)
      changeWarnings.push(...(await compareWithSource(watched, from, built, { ...options, presentOnly })))
    },
  })
  return [...warnings, ...changeWarnings]
}

/** Whether either of them keeps present entries only. */
export function isPresentOnly(from: Store, to: Store): boolean {
  return from.capabilities.history !== true || to.capabilities.moveHistory !== true
}

function leftBehind({ changes, sessions, files }: ImageCounts): string[] {
  if (changes + sessions + files === 0) return []
  const what = `changes (${changes}), sessions (${sessions}), documents and kept files (${files})`
  return [`Left behind in the source: ${what}.`]
}

/** Something is there already: it is either this memory, or nothing to write over. */
async function refuseOtherMemory(
  image: MemoryImage,
  to: Movable,
  refusal: KeepsakeError,
  options: CompareMoveOptions,
): Promise<void> {
  const call = signalOf(options)
  const { presentOnly } = options
  const differences = await withImage(to, call, (there) => compareImages(image, there, { ...call, presentOnly }))
  if (differences.length === 0) return
  throw new KeepsakeError('CONFLICT', `${refusal.message}, and it is not this memory: ${differences[0]}`, {
    hint: 'Nothing was changed. Name another target, or move that one away first.',
    data: { ...refusal.data, differences },
    cause: refusal,
  })
}

/** Throws if the copy differs from its source. Returns warnings about what changed in the source meanwhile. */
async function compareWithSource(
  { source: image, counts, sessionBytes }: WatchedImage,
  from: Movable,
  built: MemoryImage,
  options: CompareMoveOptions,
): Promise<readonly string[]> {
  const { onProgress, presentOnly } = options
  const total = counts.entries
  const changedSessions: string[] = []
  const [differences, sourceChanged] = await withImage(from, signalOf(options), async (now) => {
    const hasChanged = now.cursor.epoch !== image.cursor.epoch || now.cursor.number !== image.cursor.number
    // If only transcripts can have changed, the current image shows which of them did.
    const source = hasChanged ? image : { ...image, sessions: () => now.sessions() }
    const found = await compareImages(source, built, {
      ...signalOf(options),
      presentOnly,
      ...(onProgress ? { onProgress: (done) => onProgress({ doing: 'Comparing', done, total }) } : {}),
      ...(hasChanged ? {} : { later: { copied: sessionBytes, onWentOn: (session) => changedSessions.push(session) } }),
    })
    return [found, hasChanged] as const
  })
  if (differences.length > 0) throw unequalError(differences)
  return [
    ...(sourceChanged
      ? [`The source changed while it was being copied; the copy has it as of change ${image.cursor.number}.`]
      : []),
    ...changedSessions.map(
      (session) => `The source's ${session} changed while it was being copied; the copy has what was there before.`,
    ),
  ]
}

function unequalError(differences: readonly string[]): KeepsakeError {
  return new KeepsakeError('DAMAGED', `the copy differs from its source ("here"): ${differences.join('; ')}`, {
    hint: 'The source was not changed, and the copy was discarded. Check the disk, then try again.',
    data: { differences },
  })
}

function signalOf({ signal }: CallOptions): CallOptions {
  return signal === undefined ? {} : { signal }
}
