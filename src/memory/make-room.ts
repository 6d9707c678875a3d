/**
 * Applying a batch where a name may still be held by what has expired. Nobody can see the owner, so it makes room, in the same
 * batch; unless its life was prolonged meanwhile.
 */
import { isKeepsakeError } from '../errors.ts'
import type { Entry } from '../model/entry.ts'
import { isExpired } from '../model/expiry.ts'
import type { Batch, Expect } from '../model/operation.ts'
import type { Applied, CallOptions } from '../ports/store.ts'
import { applyAs } from './apply-as.ts'
import { asRead, removals } from './removals.ts'
import type { View } from './view.ts'

export async function applyMakingRoom(view: View, batch: Batch, expect: Expect, call: CallOptions): Promise<Applied> {
  for (let room: readonly Entry[] = []; ; ) {
    const operations = [...removals(room), ...batch.operations]
    try {
      const options = { ...call, expect: { ...asRead(view.store, room), ...expect } }
      return await applyAs(view.store, view.agent, { ...batch, operations }, options)
    } catch (error) {
      const expired = await expiredOwner(view, error, call)
      if (!expired || room.some(({ id }) => id === expired.id)) throw error
      room = [...room, expired]
    }
  }
}

async function expiredOwner(view: View, error: unknown, call: CallOptions): Promise<Entry | undefined> {
  if (!isKeepsakeError(error) || error.code !== 'NAME_TAKEN' || typeof error.data['owner'] !== 'string')
    return undefined
  const owner = await view.store.get(error.data['owner'], call)
  return owner && isExpired(owner, view.now()) ? owner : undefined
}
