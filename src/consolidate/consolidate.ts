/**
 * Condensing a session: its turns become a history entry, an archive that stands for them, and what of them is worth keeping in
 * MEMORY.md. Everything that a call of the model gives is one change, which `undo` takes back. Nothing is cleared that is not safely
 * condensed, and nobody is kept from writing while the model thinks. An abort by the caller ends it with the caller's reason: nothing of
 * the piece that is under way is written, and the pieces before it stay done.
 */
import { InvalidError } from '../errors.ts'
import type { Memory, Turn } from '../memory.ts'
import { wholeNumber } from '../model/number.ts'
import { requireOptions } from '../model/options.ts'
import { condensePiece, type Piece } from './condense-piece.ts'
import { condensedOf, together } from './condensed-of.ts'
import { CONSOLIDATE_OPTIONS, type Consolidated, type ConsolidateOptions, nothingDone } from './consolidated.ts'
import { overflowCut } from './exchanges.ts'
import { fallBack } from './fall-back.ts'
import { newInTurns, nextPiece } from './pieces.ts'
import { inQueue } from './queue.ts'
import { type Run, runOf, takeInEdits, withWarningsOf } from './run.ts'

const REASONS = ['compact', 'trim', 'new'] as const
const MOST_KEPT = 1_000_000

export async function consolidate(memory: Memory, session: string, options: ConsolidateOptions): Promise<Consolidated> {
  requireOptions(options, 'consolidate', CONSOLIDATE_OPTIONS)
  const run = runOf(memory, session, options)
  const reason = requireReason(options.reason ?? 'compact')
  const keep = wholeNumber(options.keepMessages ?? 0, 'keepMessages', 0, MOST_KEPT)
  await takeInEdits(run)
  return withWarningsOf(run, await condense(run, { reason, keep, before: options.before }))
}

interface Asked {
  readonly reason: Piece['reason']
  readonly keep: number
  readonly before: string | undefined
}

async function condense(run: Run, { reason, keep, before }: Asked): Promise<Consolidated> {
  const { turns, marker } = await run.session.view(run.call)
  if (turns.length === 0) return nothingToAsk(run, reason, marker?.through)
  return inQueue(run.memory, { ...run.call, onWait: () => run.told('waiting') }, async () => {
    const { turns, marker } = await run.session.view(run.call)
    const last = turns[overflowCut(endedBefore(turns, before), keep) - 1]
    if (last) return condenseThrough(run, turns, { through: last.id, reason })
    return turns.length === 0 ? nothingToAsk(run, reason, marker?.through) : leftAlone(run)
  })
}

/** None where that turn is not live: whoever took it has taken those before it too. */
function endedBefore(turns: readonly Turn[], id: string | undefined): readonly Turn[] {
  if (id === undefined) return turns
  const end = turns.findLastIndex((turn) => turn.id === id)
  return turns.slice(0, Math.max(0, end))
}

/** Of the live turns all up to one, in as many pieces as it takes. Those that are left when the model fails are kept as they are. */
export async function condenseThrough(run: Run, turns: readonly Turn[], whole: Piece): Promise<Consolidated> {
  const fresh = await newInTurns(run, turns, whole)
  let done = nothingDone(run.session.key)
  for (let live = turns; ; live = (await run.session.view(run.call)).turns) {
    const piece = nextPiece(live, whole, fresh)
    const outcome = piece ? await condensePiece(run, piece) : { nothing: 'already compacted' as const }
    if ('failure' in outcome) return together(done, await fallBack(run, whole, outcome.failure))
    if ('nothing' in outcome) {
      if (done.outcome !== 'nothing') return done
      const isSilent = outcome.nothing === 'was said' && piece?.through === whole.through
      return isSilent ? nothingToAsk(run, whole.reason, whole.through) : leftAlone(run)
    }
    done = together(done, condensedOf(run, outcome.compacted, outcome.decision))
    if (piece?.through === whole.through) return done
  }
}

/** Up to this turn nobody has said anything. What is to begin anew does so all the same; what was said since stays. */
async function nothingToAsk(run: Run, reason: Piece['reason'], through: string | undefined): Promise<Consolidated> {
  const before = await leftAlone(run)
  if (reason !== 'new' || through === undefined) return before
  const { marker, warnings } = await run.session.reset({ ...run.call, through })
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
