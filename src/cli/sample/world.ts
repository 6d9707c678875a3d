/** What every agent of the made-up team knows: the texts of the world topics, where they changed as first and later ones. */

export const PRODUCT = `**Berth** lets sailors book a mooring in small harbours, and harbour masters see who comes tonight.

- 14 harbours, about 900 berths, one season a year: April to October.
- A booking is for nights. It begins at noon and ends at 11:00 of the last day.
- Nobody pays before the harbour master has said yes.

All of this is made up: it is the sample that comes with Keepsake.`

export const TEAM = `| who | does | ask about |
|---|---|---|
| Ines | product | what harbour masters want, words on the page |
| Joris | server | bookings, Postgres, invoices |
| Mei | page and phone | maps, forms, everything that is drawn |
| Tomás | operations | servers, backups, on call |

Two agents work with them: \`main\` writes code with Joris and Mei, \`scout\` reads up on things and watches the servers at night.`

export const DEPLOYS_FIRST = `We deploy on Tuesdays and Thursdays, never on a Friday.

1. \`make check\` on the commit that is to go out
2. \`make ship\`
3. watch the graphs for ten minutes

A deploy takes four minutes. Who ships stays until it is done.`

export const DEPLOYS = `We deploy on Tuesdays and Thursdays **before 15:00**, never on a Friday.

1. \`make check\` on the commit that is to go out
2. \`make ship\`
3. watch the graphs for ten minutes
4. say so in #berth, with the number of the release

To go back: \`make unship\`. It takes the release before, and leaves the database as it is.

A deploy takes four minutes. Who ships stays until it is done.`

export const STAGING_FIRST = `Its name is **heron**. It restarts every night at 04:00.

- https://staging.berth.example, behind the team's password
- the database is a copy of production of last Sunday, with names and addresses replaced`

export const STAGING = `Its name is **heron**, in the new rack since the move. It restarts every night at 04:00 and is back at 04:03.

- https://staging.berth.example, behind the team's password
- the database is a copy of production of last Sunday, with names and addresses replaced
- mail goes nowhere: it is caught at https://mail.berth.example

\`scout\` runs the smoke tests there at 04:10.`

export const PRODUCTION = `| server | what | restart |
|---|---|---|
| plover | the application, two processes | \`sudo systemctl restart berth\` |
| dunlin | Postgres, and nothing else | ask Tomás first |

Logs are kept for 14 days. Graphs: https://graphs.berth.example. The certificate renews itself on the first of the month.`

export const DATABASE_FIRST = `Postgres 16 on **dunlin**, one database \`berth\`, one schema.

- backups every six hours to another town; restored once a month to prove that they can be
- migrations only add. What is no longer used is dropped a release later.
- the largest table is \`positions\` (80 million rows), partitioned by month`

export const DATABASE = `Postgres **17** on **dunlin**, one database \`berth\`, one schema.

- backups every six hours to another town; restored once a month to prove that they can be
- migrations only add. What is no longer used is dropped a release later.
- the largest table is \`positions\` (80 million rows), partitioned by month
- statistics are made anew after each major upgrade: \`vacuumdb --all --analyze-in-stages\`

~~~sql
-- who holds a lock that others wait for
select pid, wait_event, left(query, 60) from pg_stat_activity where wait_event_type = 'Lock';
~~~`

export const PAYMENTS_FIRST = `Payments go through **Pontoon Pay**. We never see a card.

- their webhook may come twice: \`payments.event_id\` is unique, and the second one is answered with 200
- the sandbox declines every amount that ends in 13 cents
- refunds take up to ten days to arrive`

export const PAYMENTS = `Payments go through **Pontoon Pay**. We never see a card.

- their webhook may come twice: \`payments.event_id\` is unique, and the second one is answered with 200
- the sandbox declines every amount that ends in 13 cents
- refunds take up to *five* days to arrive (Pontoon Pay changed it this month; Ines told the harbour masters)`

export const ON_CALL = `Tomás has the phone on weekdays, Joris at weekends.

Wake somebody for: bookings that fail, payments that fail, dunlin above 90 % of its disk.
Do not wake anybody for: maps, mail that is late, staging.

\`scout\` looks every ten minutes and writes what it sees into its log.`

export const GLOSSARY = `- **berth**: a place for one boat. Has a length, a width and a depth at low water.
- **mooring**: the same as a berth, in the words of the harbour masters.
- **night**: what is sold. Two boats may share a day, never a night.
- **walk-in**: a boat that came without a booking.
- **no-show**: a booking whose boat did not come by 20:00.`
