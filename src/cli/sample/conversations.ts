/** Two conversations: one that was condensed, and one that goes on. */
import type { TurnInput } from '../../memory.ts'
import { MAIN_CONDENSED } from './agents.ts'

const user = (content: string): TurnInput => ({ role: 'user', content })
const assistant = (content: string, tools: readonly string[] = []): TurnInput => ({ role: 'assistant', content, tools })

export const UPGRADE_TALK: readonly TurnInput[] = [
  user('We should bring dunlin to Postgres 17 before the season. What do we know?'),
  assistant(
    'The plan compares three ways. Dump and restore is down for three hours, pg_upgrade --link for about four minutes, replication not at all.',
    ['recall'],
  ),
  user('Three hours is too long, even at night.'),
  assistant('Then it is between --link and replication. What speaks against --link is that there is no way back.'),
  user('How often did we need a way back so far?'),
  assistant(
    'I know of no upgrade that was taken back. There is a backup every six hours, and the last restore took 50 minutes.',
  ),
  user('Replication then? Tomás does not like the sequences.'),
  assistant(
    'Sequences have to be set by hand on the new side, and there are 31 of them. One that is forgotten fails with the first booking after the switch.',
  ),
  user('And large objects?'),
  assistant('We have none: photos of harbours are files since last year.'),
  user('What would you do?'),
  assistant(
    'Rehearse --link on heron with the copy of Sunday, measure it, and take a base backup right before the real one. Then the way back is that backup: 50 minutes, not never.',
  ),
  user('Good. Who decides when?'),
  assistant('Tomás has the phone on weekdays. I would ask him for an early Sunday, when nobody books.'),
  user('Do that. And the old cluster, how long do we keep it?'),
  assistant(
    'With --link both share the files, so the old one must never be started again. It only takes up names: a week, then Tomás removes it.',
  ),
  user('Does anything of ours need a change for 17?'),
  assistant('Scout read the release notes: nothing breaks, and VACUUM will take less memory on positions.', ['recall']),
  user('Then write it down, and let us do the rehearsal on Thursday.'),
  assistant('Written down in the plan. The rehearsal is on Thursday at 10:00, on heron.', ['remember']),
]

export const UPGRADE_REPLY: { readonly historyEntry: string; readonly memory: string } = {
  historyEntry:
    'Decided how dunlin comes to Postgres 17: pg_upgrade --link, rehearsed on heron first, with a base backup right before it as the way back (50 minutes). Replication was dropped for its 31 sequences. Tomás chooses an early Sunday; the old cluster stays for a week.',
  memory: MAIN_CONDENSED,
}

export const BOOKING_TALK: readonly TurnInput[] = [
  user('A harbour master called: two boats for berth 14 tonight. How can that be?'),
  assistant('Both bookings were made within 40 ms. Each saw the berth free before the other had written.', ['recall']),
  user('Can we lock the harbour while somebody books?'),
  assistant(
    'We can, but on a busy evening everybody would wait for everybody. An exclusion constraint refuses only the second of two that collide.',
  ),
  user('Does that work with nights, when one leaves at 11 and the next comes at noon?'),
  assistant('Yes: the range is open at its end, so the day of leaving is not part of it.'),
  user('Put it on staging, and let it stay there for a night.'),
  assistant('It is on heron. Scout will look at the smoke tests at 04:10.'),
]
