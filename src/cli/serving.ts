/** What `mcp` and `serve` share: a memory that is served for long, with what goes on behind its answers. */
import { AgentMemories } from '../agents/agent-memories.ts'
import { isOnServer } from '../config/keys.ts'
import type { Config } from '../config/load-config.ts'
import { InvalidError } from '../errors.ts'
import { lookAgain, reportUnreadable } from '../follow/follow-memory.ts'
import { laterStore } from '../mcp/later-store.ts'
import type { ServedMemory } from '../mcp/server.ts'
import { openStore, settingsOf } from '../memory/open.ts'
import { RecallTally } from '../memory/recalls.ts'
import { type Cleaning, startCleanup } from '../memory/start-cleanup.ts'
import { openMemory } from '../memory.ts'
import type { Store } from '../ports/store.ts'
import { createMemoryTools } from '../tools/index.ts'
import { BehindAnswers } from './behind-answers.ts'
import { embedOf } from './embed-of.ts'
import { instructionsOf } from './instructions.ts'
import { servedNameWarnings } from './named-place.ts'
import { refuseForeignServer } from './own-server.ts'
import { ownership } from './own-workspaces.ts'
import { complain } from './report.ts'
import { programVersion } from './version.ts'

export interface Asked {
  readonly config: Config
  readonly quietly: boolean
}

export interface Serving extends ServedMemory {
  readonly behind: BehindAnswers
  readonly memories: AgentMemories
  /** The memory is left, with all that goes on behind. */
  close(): Promise<void>
}

/** After all is closed: what a client has not read by then it never will. */
const LAST_WORDS_MS = 400
const TALLY_MS = 10_000
/** How many of the files and folders that became unreadable together are named. */
const MAX_REPORTED = 3

/** The memory opens with the first thing that is asked of it, and says then what is wrong with it. */
export async function servedMemory({ config, quietly }: Asked): Promise<Serving> {
  const store = laterStore(() => openedFor(config), { nativeVectors: isOnServer(config.values.backend) })
  const { embed, load } = embedOf(config, { unattended: true })
  const { distrust } = ownership(config)
  const settings = { ...settingsOf(config), searchBy: 'meaning too once loaded', distrust } as const
  const tally = new RecallTally(store, Date.now)
  const recalled = (ids: readonly string[]): void => tally.count(ids)
  const memory = await openMemory({ store, agent: config.values.agent, ...settings, embed, recalled })
  const memories = new AgentMemories(memory)
  const warn = (problem: string): void => {
    if (!quietly) complain(problem)
  }
  for (const warning of await servedNameWarnings(config, memory)) warn(`warning: ${warning}`)
  reportUnreadable(store, (problems) => {
    for (const problem of problems.slice(0, MAX_REPORTED)) warn(`warning: ${problem}`)
    const more = problems.length - MAX_REPORTED
    if (more > 0) warn(`warning: ${more} more files or folders can't be read; "keepsake doctor" lists them`)
  })
  const behind = new BehindAnswers({ config, memory, memories, load, warn, recalled })
  const saving = setInterval(() => void tally.save(), TALLY_MS).unref()
  return {
    memory,
    memories,
    behind,
    tools: behind.behind(createMemoryTools(memory)),
    instructions: await instructionsOf(memory, config),
    version: programVersion(),
    close: async () => {
      clearInterval(saving)
      await Promise.all([behind.stop(), memories.close()])
      // Answers that nobody reads must not keep the process, and a store may be left at any moment.
      setTimeout(() => process.exit(), LAST_WORDS_MS).unref()
      await tally.save()
      await memory.close()
    },
  }
}

/** Whose a flat memory on a server is, that server tells; by then the tools speak for the agent that was asked for. */
async function openedFor(config: Config): Promise<Store> {
  refuseForeignServer(config)
  const { onCreated } = ownership(config)
  const { store, agent } = await openStore(config, { onCreated })
  const { agent: wanted, workspace } = config.values
  if (agent === wanted) return store
  await store.close()
  throw new InvalidError('agent', `${workspace} is the memory of "${agent}", not of "${wanted}"`, `--agent ${agent}`)
}

/** Also what goes because its time is over is news to who follows the memory. */
export function cleaned({ memory }: ServedMemory, quietly: boolean): Cleaning {
  return startCleanup(memory, {
    interval: memory.settings.cleanupInterval,
    told: (deleted) => {
      lookAgain(memory)
      const what = deleted === 1 ? '1 entry that has' : `${deleted} entries that have`
      if (!quietly) complain(`removed ${what} expired`)
    },
  })
}
