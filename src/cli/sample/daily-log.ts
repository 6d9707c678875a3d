/** The daily log of the sample, a line each: days ago, time, agent, what happened, and its metadata where it has any. */
import { type Act, log } from './act.ts'

const LINES = `
27 11:40 main First day here. Joris walked through the code: bookings, harbours, positions, invoices.
26 14:30 main Added a list of tonight for harbour masters. Mei: the names should be larger on a phone.
26 16:05 main Names are larger now. Mei is happy; the list fits twelve boats without scrolling.
25 11:25 scout Compared three tile servers for Mei. OpenSea for the map, Chartwell for depths.
24 15:12 main payments.spec failed once in CI and passed when run again. Amounts that end in 13 cents?
23 14:10 main Shipped release 41: the list of tonight. Quiet graphs. {"release":41}
22 09:40 main Mei showed the map on an old phone: 6 s until the first berth. Tiles first, then names.
21 04:12 scout Smoke tests on heron: all 31 passed.
21 16:30 main Joris found two invoices that differ by a cent. It was the order of rounding, not a bug.
20 10:20 main Wrote down the words of the harbour masters. A "mooring" is what we call a berth.
20 14:05 main Two no-shows in one evening: the list of tonight should say from when on a berth is free again.
20 16:55 main Shipped release 42 at 16:40, too late: nobody was there to watch it with. It went well. {"release":42}
19 09:20 main We agreed: no deploy after 15:00, and each is told in #berth.
18 10:10 main Ines sent my release notes back: "nobody in a harbour knows what a table is".
17 08:40 scout I watch the servers at night from now on. What I see is in this log.
15 10:15 main I had rewritten my memory and dropped half of it. Undone. Read it before rewriting it.
14 15:02 main The VPN is gone: everything is behind the team's password now. Forgot the note about it.
12 10:25 main Rehearsed the upgrade on heron: 2 min 49 s from stop to first query.
12 14:20 scout Ines asks how others let people cancel. Read four help pages.
11 04:11 scout Smoke tests on heron after its move: all 31 passed, in half the time.
11 11:15 main heron is in the new rack. Same name, same address, faster disks.
9 05:10 main dunlin is on Postgres 17. Down for 3 min 40 s. {"release":43}
9 05:25 main Statistics on positions were missing; the map was slow until they were made. Noted for next time.
9 11:30 main No errors since the upgrade. Tomás keeps the base backup for a week.
9 06:10 scout After the upgrade the map took 9 s once. No statistics on positions yet; Tomás made them.
7 14:00 main Refunds by Pontoon Pay take five days now, not ten. Ines has put it right in Payments.
6 11:20 main Shipped release 44: berths on the map show their depth at low water. {"release":44}
6 15:45 main First questions about depths: two harbours measure from another zero. Opened BER-226. {"issue":"BER-226"}
5 22:10 scout plover: 3 minutes of errors at 21:58. Pontoon Pay was away. Nobody woken.
3 11:05 main Walk-ins can be entered with one thumb now. A harbour master tried it on the jetty.
1 17:45 main A harbour master called about two boats in berth 14. Opened BER-231. {"issue":"BER-231"}
1 18:20 main Made it happen again with two browsers and a slow network. It takes 40 ms. {"issue":"BER-231"}
`

const LINE = /^(\d+) (\d\d:\d\d) (\w+) (.*?)(?: (\{.*\}))?$/gm

export function dailyLog(): (readonly [daysAgo: number, time: string, agent: string, act: Act])[] {
  return [...LINES.matchAll(LINE)].map(([, daysAgo, time = '', agent = '', text = '', metadata = '{}']) => [
    Number(daysAgo),
    time,
    agent,
    log(text, { metadata: JSON.parse(metadata) }),
  ])
}
