/**
 * A long conversation in pieces, measured by what a model is given of it: what is new in each turn. So no piece but the only one can be
 * without anything that was said: each of the others begins with something that a user has said.
 */
import type { SummaryInput, Turn } from '../memory.ts'
import type { Said } from '../prompt/said.ts'
import { type Piece, upTo } from './condense-piece.ts'
import { newInEach } from './conversation-of.ts'
import { firstPiece, PIECE_TOKENS } from './exchanges.ts'
import type { Run } from './run.ts'

/** By the ids of turns. */
type Fresh = ReadonlyMap<string, Said>

/** What is new in each turn of a conversation that may take several pieces; empty where all of it is one. */
export async function newInTurns(run: Run, turns: readonly Turn[], { through }: Piece): Promise<Fresh> {
  const fresh = new Map<string, Said>()
  const take = upTo(through)
  if (firstPiece(turns.slice(0, take(turns)), PIECE_TOKENS) >= take(turns)) return fresh
  // Only a compaction is told what is new. Without a summary it writes nothing.
  const summary = (input: SummaryInput): undefined => {
    for (const [index, said] of newInEach(input).entries()) fresh.set(input.turns[index]?.id ?? '', said)
  }
  await run.session.compact({ summary, take, ...run.call })
  return fresh
}

/** The turns before the last piece are left behind, but their archive is still shown: only the last one begins anew. */
export function nextPiece(live: readonly Turn[], { through, reason }: Piece, fresh: Fresh): Piece | undefined {
  const left = live.slice(0, upTo(through)(live))
  const size = firstPiece(
    left.map((turn) => fresh.get(turn.id) ?? turn),
    PIECE_TOKENS,
  )
  const last = left[size - 1]
  return last && { through: last.id, reason: last.id === through ? reason : 'trim' }
}
