/** MEMORY.md of the two agents, as it grew. */

export const MAIN_FIRST = `# How I work here

- Small steps, one commit for each. Joris reads them all.
- Ask before deleting anything, also in staging.
- Run \`make check\` before saying that something works.`

export const MAIN_SECOND = `# How I work here

- Small steps, one commit for each. Joris reads them all.
- Ask before deleting anything, also in staging.
- Run \`make check\` before saying that something works.
- Release notes are for harbour masters: no names of tables, no "refactored".

# People

- Ines wants to see a screen before a text about it.
- Mei is off on Wednesdays.`

/** A rewrite that lost half; it was undone. */
export const MAIN_CARELESS = `# How I work here

- Postgres 17 is next. Read the plan first.`

export const MAIN_CONDENSED = `# How I work here

- Small steps, one commit for each. Joris reads them all.
- Ask before deleting anything, also in staging.
- Run \`make check\` before saying that something works.
- Release notes are for harbour masters: no names of tables, no "refactored".

# People

- Ines wants to see a screen before a text about it.
- Mei is off on Wednesdays.

# Now

- dunlin goes to Postgres 17 with \`pg_upgrade --link\`, after a rehearsal on heron. Tomás decides when.
- The old cluster stays for one week, then Tomás removes it.`

export const MAIN = `# How I work here

- Small steps, one commit for each. Joris reads them all.
- Ask before deleting anything, also in staging.
- Run \`make check\` before saying that something works.
- Release notes are for harbour masters: no names of tables, no "refactored".

# People

- Ines wants to see a screen before a text about it.
- Mei is off on Wednesdays.

# Now

- dunlin runs Postgres 17 since the upgrade; the old cluster is gone.
- BER-231, two boats in one berth: the constraint is on staging, production is next.
- Feature freeze until the season opens: mend, do not add.`

export const SCOUT = `- I read, compare and watch. I change nothing on a server.
- Say where something was read, and when.
- At night: smoke tests on heron at 04:10, then plover and dunlin every ten minutes.`
