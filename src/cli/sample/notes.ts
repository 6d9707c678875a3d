/** Notes and facts of the two agents: the long texts. */

export const CHECKLIST_FIRST = `1. Is it Tuesday or Thursday?
2. \`make check\`
3. \`make ship\`
4. Watch the graphs for ten minutes.`

export const CHECKLIST = `## Before

- [ ] Tuesday or Thursday, before 15:00
- [ ] \`make check\` on the very commit
- [ ] migrations only add
- [ ] staging had it for a night

## Ship

~~~sh
make ship
make smoke HOST=berth.example
~~~

## After

- [ ] graphs for ten minutes: errors, waiting locks, payments
- [ ] release notes to Ines, in the words of harbour masters
- [ ] #berth`

export const LOCAL_SETUP = `~~~sh
git clone git@git.berth.example:berth/berth.git && cd berth
make db            # Postgres 17 in a container, with ten made-up harbours
make run           # http://localhost:7000, harbour@berth.example / harbour
make check         # types, lint, tests; 90 seconds
~~~

Tests want the clock in UTC. \`TZ=Europe/Amsterdam make check\` finds what only breaks in summer.`

export const UPGRADE_PLAN = `# Postgres 16 to 17 on dunlin

| way | down | risk |
|---|---|---|
| dump and restore | 3 h | none that we know |
| \`pg_upgrade --link\` | 4 min | no way back once it has started |
| logical replication | 0 | sequences and large objects by hand |

Rehearse on heron first, with the copy of Sunday.`

export const UPGRADE_DONE = `# Postgres 16 to 17 on dunlin

**Done**, with \`pg_upgrade --link\`: down for 3 min 40 s, at 05:10 on a Sunday.

| step | on heron | on dunlin |
|---|---|---|
| stop | 9 s | 11 s |
| \`pg_upgrade --link\` | 2 min 10 s | 2 min 31 s |
| start, first query | 12 s | 14 s |
| statistics | 38 s | 44 s |

What went wrong: the first query of the map took 9 s, because \`positions\` had no statistics yet. Next time, analyse that table first.`

export const FLAKY = `- \`calendar.spec\`: fails on the last Sunday of March and October. It adds 24 hours where it means a day.
- \`map.spec\`: waits for tiles from the network. Run it with \`TILES=local\`.
- \`payments.spec\`: amounts are random, and one in a hundred ends in 13 cents, which the sandbox declines.`

export const DOUBLE_BOOKING = `# BER-231: two boats in berth 14

Two bookings of the same berth for the same night, made within 40 ms. Each looked whether the berth was free, and both saw that it was.

- The check reads, then writes. Between the two, another one fits.
- A lock on the harbour would do, and make every booking of a busy harbour wait.
- Postgres can refuse the second one by itself:

~~~sql
alter table bookings add constraint one_boat_a_night
  exclude using gist (berth_id with =, nights with &&);
~~~

\`nights\` is a \`daterange\` with an open end, so that one boat may leave on the day when the next one comes.
The error is 23P01. The page says then: "Somebody was faster. These berths are free:".`

export const RELEASE_NOTES_STYLE = `Ines sends them to harbour masters as they are.

- What they can do now, in one sentence each. Screens say more than words.
- No names of tables, no "refactored", no version numbers.
- What was broken, and since when: they noticed anyway.`

export const TILES = `Read on their own pages.

| server | free | map of depths | may be kept |
|---|---|---|---|
| Chartwell | 50,000 tiles a month | yes | 24 hours |
| OpenSea | all | no | yes |
| Sounding | none | yes | never |

OpenSea for the map, Chartwell only where somebody asks for depths. That is some 8,000 tiles a month.`

export const POSTGRES_NOTES = `What touches us, of the release notes of Postgres 17:

- \`VACUUM\` takes much less memory: good for \`positions\`.
- \`COPY … ON_ERROR ignore\`: for the import of harbour lists, where one line in a thousand is broken.
- \`pg_createsubscriber\`: a replica becomes a logical one. Not needed with \`--link\`.
- The extension \`btree_gist\` is the same. Nothing to do for BER-231.`

export const CANCELLATIONS = `How other booking sites let people cancel, as their help pages have it:

- free until 48 hours before, then one night is paid (two of four)
- free until noon of the day (one of four)
- never, but the booking can be given to somebody else (one of four)

Ines likes the third, with a list of who waits for the harbour.`

export const DEMO = `The harbour office sees the new calendar on the big screen.

- guest network: \`berth-demo\`, the word is on the card beside the router
- log in as harbour@berth.example on staging
- show: walk-in, no-show, the list of tonight. Leave payments out.`
