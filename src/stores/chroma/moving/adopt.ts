/**
 * Another store's memory as one on the server: the same entries, changes, transcripts and kept files, with their ids, seqs, numbers and times.
 * It is written under a generation of its own, which is nothing to anybody; when all of it is proved to be there, the root is added,
 * and it is the memory. Whoever is cut short before leaves no memory, and its records to the next one (moving-in.ts). Deliberately
 * absent: vectors, which whoever has a model makes anew.
 */
import { isKeepsakeError, KeepsakeError } from '../../../errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Adopted, AdoptOptions, CallOptions, MemoryImage } from '../../../ports/store.ts'
import { checkedSettings } from '../../disk/checked-settings.ts'
import { addRoot, newRoot, type Root, readRoot } from '../root.ts'
import type { Connection } from '../server/connection.ts'
import { clearLeftOvers, type MoveGround, MovingIn } from './moving-in.ts'
import { AdoptProgress, damagedSource, SOURCE, writeGeneration } from './new-generation.ts'

export interface AdoptGround extends MoveGround {
  readonly connection: Pick<Connection, 'prepare' | 'time'>
  readonly clock: Clock
  /** The image that a reader would get if this were the root. */
  readonly imageWith: (root: Root) => Promise<MemoryImage>
}

export async function adopt(ground: AdoptGround, image: MemoryImage, options: AdoptOptions): Promise<Adopted> {
  const { log, clock } = ground
  const call: CallOptions = options.signal ? { signal: options.signal } : {}
  checkedSettings(SOURCE, image.settings, (problem) => damagedSource(`in its settings ${problem}`))
  await refuseToReplace(ground, call)
  await ground.connection.prepare(call)
  const root = newRoot(image.settings, clock(), await beginningOf(image))
  const turn = await MovingIn.begin(ground, root.generation, call)
  try {
    await writeGeneration(log, root, image, { call, progress: new AdoptProgress(image, options) })
    await options.check?.(await ground.imageWith(root))
    turn.check()
    options.signal?.throwIfAborted()
  } catch (error) {
    await afterFailure(turn.gaveUp())
    throw error
  }
  await makeItTheMemory(ground, root, turn)
  return { warnings: [] }
}

async function refuseToReplace(ground: AdoptGround, call: CallOptions): Promise<void> {
  const there = await readRoot(ground.log, call)
  if (!there) return
  await afterFailure(clearLeftOvers(ground, there.generation, call))
  throw occupied(ground.address)
}

/** Once the root is sent, it is brought to an end: nobody gives up any more. */
async function makeItTheMemory({ log, address }: AdoptGround, root: Root, turn: MovingIn): Promise<void> {
  let outcome: 'won' | 'lost'
  try {
    outcome = await addRoot(log, root)
  } catch (error) {
    // It may be there, or come yet: what it stands for must stay.
    await turn.leave()
    throw error
  }
  await afterFailure(outcome === 'won' ? turn.won({}) : turn.gaveUp())
  if (outcome === 'lost') throw occupied(address)
}

/** What stays because the server can't be reached is named in `adopting`, and removed by the next one. */
async function afterFailure(tidying: Promise<void>): Promise<void> {
  try {
    await tidying
  } catch (error) {
    if (!isKeepsakeError(error)) throw error
  }
}

/** As early as its past is kept. */
async function beginningOf({ cursor, nextSeq, history }: MemoryImage): Promise<Root['at']> {
  for await (const { change } of history.changes()) return { position: 0, number: change.number - 1, nextSeq }
  return { position: 0, number: cursor.number, nextSeq }
}

function occupied(address: string): KeepsakeError {
  return new KeepsakeError('CONFLICT', `there is a memory at ${address} already`, {
    hint: 'Name another database, as in chroma://HOST/DATABASE; nothing was changed.',
    data: { address },
  })
}
