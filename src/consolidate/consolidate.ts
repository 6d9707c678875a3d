/**
 * Condensing a session: its turns become a history entry, an archive that stands for them, and what of them is worth keeping in
 * MEMORY.md. Everything that a call of the model gives is one change, which `undo` takes back. Nothing is cleared that is not safely
 * condensed, nobody is kept from writing while the model thinks, and only an abort by the caller leaves nothing behind.
 */
import { InvalidError } from '../errors.ts'
import type { Memory, Turn } from '../memory.ts'
import { wholeNumber } from '../model/number.ts'
import { requireOptions } from '../model/options.ts'
import { condensePiece, type Piece } from './condense-piece.ts'
import { condensedOf, together } from './condensed-of.ts'
import { type Consolidated, type ConsolidateOptions, nothingDone } from './consolidated.ts'
import { firstPiece, overflowCut } from './exchanges.ts'
import { fallBack } from './fall-back.ts'
import { inQueue } from './queue.ts'
import { type Run, runOf } from './run.ts'

const REASONS = ['compact', 'trim', 'new'] as const
const MOST_KEPT = 1_000_000
/** What one call of the model is given of a conversation, at most. */
export const PIECE_TOKENS = 20_000

export async function consolidate(memory: Memory, session: string, options: ConsolidateOptions): Promise<Consolidated> {
  requireOptions(options)
  const run = runOf(memory, session, options)
  const reason = requireReason(options.reason ?? 'compact')
  const keep = wholeNumber(options.keepMessages ?? 0, 'keepMessages', 0, MOST_KEPT)
  if ((await run.session.view(run.call)).turns.length === 0) return nothingToAsk(run, reason)
  return inQueue(memory, { ...run.call, onWait: () => run.told('waiting') }, async () => {
    const { turns } = await run.session.view(run.call)
    const last = turns[overflowCut(turns, keep) - 1]
    if (last) return condenseThrough(run, turns, { through: last.id, reason })
    return turns.length === 0 ? nothingToAsk(run, reason) : leftAlone(run)
  })
}

/** Of the live turns all up to one, in as many pieces as it takes. `onFailure`: what is done with those that are left when the model fails. */
export async function condenseThrough(
  run: Run,
  turns: readonly Turn[],
  whole: Piece,
  onFailure: typeof fallBack = fallBack,
): Promise<Consolidated> {
  let done = nothingDone(run.session.key)
  for (let live = turns; ; live = (await run.session.view(run.call)).turns) {
    const piece = nextPiece(live, whole)
    const outcome = piece ? await condensePiece(run, piece) : { nothing: 'already compacted' as const }
    if ('failure' in outcome) return together(done, await onFailure(run, whole, outcome.failure))
    if ('nothing' in outcome) {
      if (done.outcome !== 'nothing') return done
      const isAll = piece?.through === whole.through
      return outcome.nothing === 'was said' && isAll ? nothingToAsk(run, whole.reason) : leftAlone(run)
    }
    done = together(done, condensedOf(run, outcome.compacted, outcome.decision))
    if (piece?.through === whole.through) return done
  }
}

/** The turns before the last piece are left behind, but their archive is still shown: only the last one begins anew. */
function nextPiece(turns: readonly Turn[], { through, reason }: Piece): Piece | undefined {
  const left = turns.slice(0, turns.findLastIndex(({ id }) => id === through) + 1)
  const last = left[firstPiece(left, PIECE_TOKENS) - 1]
  return last && { through: last.id, reason: last.id === through ? reason : 'trim' }
}

/** Nobody has said anything. What is to begin anew does so all the same. */
async function nothingToAsk(run: Run, reason: Piece['reason']): Promise<Consolidated> {
  const before = await leftAlone(run)
  if (reason !== 'new') return before
  const { marker, warnings } = await run.session.reset(run.call)
  return { ...before, ...(marker ? { marker } : {}), warnings }
}

async function leftAlone({ session, call }: Run): Promise<Consolidated> {
  const { marker } = await session.view(call)
  const why = marker ? 'already condensed' : 'nothing to condense'
  return { ...nothingDone(session.key), why, ...(marker ? { marker } : {}) }
}

function requireReason(reason: unknown): Piece['reason'] {
  const known = REASONS.find((one) => one === reason)
  if (!known) throw new InvalidError('reason', `"${String(reason)}" is none`, REASONS.join(', '))
  return known
}
