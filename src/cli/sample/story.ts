/** Four weeks of a made-up team: all but what stands in its daily log. What happens today is counted back from now. */
import {
  type Act,
  alias,
  byHand,
  condense,
  fact,
  forget,
  happened,
  learn,
  log,
  note,
  recall,
  reflect,
  rename,
  say,
  set,
  undo,
} from './act.ts'
import * as agents from './agents.ts'
import { BOOKING_TALK, UPGRADE_REPLY, UPGRADE_TALK } from './conversations.ts'
import * as facts from './facts.ts'
import * as notes from './notes.ts'
import * as world from './world.ts'

const UPGRADE = 'postgres-upgrade'
const BOOKING = 'double-booking'
const ISSUE = { project: 'berth', issue: 'BER-231' }

/** Days ago, and the time of that day. Several acts are a minute apart. */
export const EARLIER: readonly (readonly [daysAgo: number, time: string, agent: string, act: Act | readonly Act[]])[] =
  [
    [27, '09:02', 'main', learn('Berth', world.PRODUCT, { aliases: ['product'] })],
    [27, '09:05', 'main', learn('Team', world.TEAM)],
    [27, '09:11', 'main', learn('Staging', world.STAGING_FIRST, { aliases: ['heron'] })],
    [27, '09:14', 'main', learn('Production', world.PRODUCTION, { aliases: ['plover', 'dunlin'] })],
    [27, '09:20', 'main', learn('Deploys', world.DEPLOYS_FIRST)],
    [27, '09:31', 'main', reflect(agents.MAIN_FIRST)],
    [27, '16:15', 'scout', reflect(agents.SCOUT)],
    [26, '10:08', 'main', note('Local setup', notes.LOCAL_SETUP, { description: 'From a clone to running tests' })],
    [25, '09:45', 'main', learn('Database', world.DATABASE_FIRST, { aliases: ['postgres'] })],
    [25, '11:20', 'scout', note('Tile servers compared', notes.TILES, { metadata: { asked: 'Mei', servers: 3 } })],
    [24, '10:00', 'main', learn('Payments', world.PAYMENTS_FIRST, { aliases: ['Pontoon Pay'] })],
    [24, '15:40', 'main', note('Flaky tests', notes.FLAKY, { metadata: { project: 'berth', tags: ['tests', 'ci'] } })],
    [23, '09:30', 'main', note('Deploy checklist', notes.CHECKLIST_FIRST, { description: 'Before a release' })],
    [22, '10:20', 'main', note('Old VPN', 'The office VPN is at vpn.berth.example, port 1194. Tomás has the keys.')],
    [21, '11:00', 'main', fact('Invoice rounding', facts.ROUNDING, { metadata: { source: 'Joris', sure: 0.9 } })],
    [20, '09:15', 'main', learn('Glossary', world.GLOSSARY)],
    [19, '09:10', 'main', learn('Deploys', world.DEPLOYS)],
    [18, '10:30', 'main', reflect(agents.MAIN_SECOND)],
    [18, '11:02', 'main', note('Release notes', notes.RELEASE_NOTES_STYLE, { description: 'How Ines wants them' })],
    [17, '08:30', 'scout', learn('On call', world.ON_CALL)],
    [16, '10:12', 'main', note('Postgres 17 upgrade', notes.UPGRADE_PLAN, { aliases: ['upgrade'] })],
    [16, '11:30', 'scout', note('Postgres 17 release notes', notes.POSTGRES_NOTES, { description: 'What touches us' })],
    [15, '10:05', 'main', reflect(agents.MAIN_CARELESS)],
    [15, '10:06', 'main', undo()],
    [14, '09:40', 'main', recall('how do we upgrade postgres')],
    [14, '10:30', 'main', say(UPGRADE, UPGRADE_TALK)],
    [14, '10:55', 'main', condense(UPGRADE, UPGRADE_REPLY)],
    [14, '15:00', 'main', forget('Old VPN')],
    [12, '14:45', 'scout', note('Cancellation rules', notes.CANCELLATIONS, { metadata: { asked: 'Ines', pages: 4 } })],
    [11, '11:11', 'main', learn('Staging', world.STAGING)],
    [10, '09:50', 'main', fact('Weather limits', facts.WEATHER, { metadata: { source: 'Windrose', sure: 1 } })],
    [9, '05:40', 'main', note('Postgres 17 upgrade', notes.UPGRADE_DONE, { description: 'Done: what it took' })],
    [9, '05:45', 'main', learn('Database', world.DATABASE)],
    [8, '10:00', 'main', happened(facts.UPGRADE_WEEK)],
    [8, '10:30', 'main', rename('Deploy checklist', 'Release checklist')],
    [8, '10:31', 'main', alias('Release checklist', 'releases')],
    [8, '10:34', 'main', note('Release checklist', notes.CHECKLIST, { metadata: { since: 'release 43', sure: 0.9 } })],
    [7, '09:25', 'main', byHand('Payments', world.PAYMENTS)],
    [6, '10:40', 'main', recall('release checklist')],
    [4, '09:30', 'main', happened(facts.FREEZE_BEGINS)],
    [4, '09:45', 'main', note('Feature freeze', facts.FREEZE, { ttl: '6d' })],
    [3, '15:30', 'main', fact('Session length', facts.SESSIONS, { metadata: { source: 'Mei', sure: 0.8 } })],
    [2, '11:00', 'main', fact('How to address Ines', facts.INES, { metadata: { category: 'preference' } })],
    [2, '16:20', 'scout', happened(facts.NIGHTS)],
    [1, '09:20', 'main', note('Demo at the harbour office', notes.DEMO, { ttl: '60h', description: 'What to show' })],
    [1, '20:30', 'scout', recall('berth 14 booked twice')],
  ]

export const TODAY: readonly (readonly [minutesAgo: number, agent: string, act: Act | readonly Act[]])[] = [
  [52, 'main', note('Double bookings', notes.DOUBLE_BOOKING, { description: facts.ISSUE, metadata: ISSUE })],
  [51, 'main', alias('Double bookings', 'BER-231')],
  [38, 'main', say(BOOKING, BOOKING_TALK)],
  [28, 'main', log('The constraint against double bookings is on staging.', { session: BOOKING, metadata: ISSUE })],
  [20, 'main', reflect(agents.MAIN)],
  [12, 'scout', log('heron: smoke tests with the constraint, all 33 passed.')],
  [8, 'main', recall('what refuses the second of two bookings')],
  [0, 'main', set('task', facts.TASK)],
]
