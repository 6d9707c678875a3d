/**
 * What is refused: with which status, code and words, and that nothing is changed by it. The first of each table is told by a
 * process, the others by the same code in this one.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonHere, sitDownAt } from './in-this-process.ts'
import { Desk } from './keepsake.ts'

type Row = readonly [args: readonly string[], says: RegExp, hints?: RegExp]

const USAGE: readonly Row[] = [
  [['shwo', 'x'], /^there is no command "shwo"$/, /Did you mean "show"\?/],
  [['remeber', 'x'], /^there is no command "remeber"$/, /Did you mean "remember"\?/],
  [['xyzzy'], /^there is no command "xyzzy"$/, /^See all commands: keepsake --help$/],
  [['help', 'lits'], /^there is no command "lits"$/, /Did you mean "list"\?/],
  [['--wrokspace', 'x', 'list'], /^there is no option "--wrokspace" here$/, /Did you mean --workspace\?/],
  [['remember', 'x', '--nmae', 'y'], /^there is no option "--nmae" here$/, /Did you mean --name\?/],
  [['--name', 'y', 'remember', 'x'], /^there is no option "--name" here$/, /Options of a command stand after its name/],
  [['remember', '-x'], /^there is no option "-x" here$/, /a text that begins with a dash stands after "--"/],
  [['list', '--config', 'x'], /x: there is no such file$/],
  [['remember'], /^remember needs TEXT$/, /^See: keepsake remember --help$/],
  [['learn'], /^learn needs TOPIC$/],
  [['forget'], /^forget needs REF$/],
  [['rename', 'Deploys'], /^rename needs NAME$/],
  [['remember', 'two', 'words'], /^"words" is one argument too many for remember$/, /Put the text in quotes/],
  [['list', 'x'], /^list takes no argument, but was given "x"$/],
  [['--workspace'], /^--workspace needs a value$/],
  [['remember', 'x', '--name', '--quiet'], /^--name needs a value$/, /write --name=--quiet/],
  [['remember', 'x', '--name', 'a', '--name', 'b'], /^--name was given twice$/],
  [['remember', 'x', '--name', ''], /^--name is empty$/],
  [['remember', 'x', '--name', ' '], /^name: is empty$/],
  [['list', '--quiet=yes'], /^--quiet takes no value$/],
  [['remember', ''], /^content: is empty$/],
  [['remember', ' \n '], /^content: is empty$/],
  [['remember', 'x', '--kind', 'thought'], /^kind: "thought" is not a kind$/, /^Allowed: topic, memory, /],
  [['list', '--kind', 'note', '--kind', 'Note'], /^kind: "Note" is not a kind$/],
  [['remember', 'x', '--name', 'n'.repeat(201)], /^name: has 201 characters$/],
  [['remember', 'x', '--name', 'a\nb'], /^name: holds control characters/],
  [['remember', 'x', '--ttl', 'soon'], /^ttl: "soon" is not a duration$/, /30d, 12h, 90m or 45s/],
  [['remember', 'x', '--kind', 'topic', '--name', 'T', '--ttl', '1d'], /^ttl: a topic never expires$/],
  [['remember', 'x', '--kind', 'topic'], /^name: a topic needs one$/],
  [['remember', 'x', '--kind', 'memory', '--name', 'Mine'], /^name: the memory of an agent is called MEMORY$/],
  [['remember', 'x', '--kind', 'experience', '--name', 'n'], /^name: /],
  [['remember', 'x', '--key', 'k', '--name', 'n'], /^name: a context has a key and no name besides$/],
  [['remember', 'x', '--key', 'k', '--kind', 'note'], /^key: a note has no key$/],
  [['remember', 'x', '--meta', 'novalue'], /^meta: "novalue" has no key and value$/, /key=text, or key:=JSON/],
  [['remember', 'x', '--meta', '=v'], /^meta: "=v" has no key and value$/],
  [['remember', 'x', '--meta', 'n:={'], /^meta: "n" has a value that is not JSON: \{$/],
  [['remember', 'x', '--meta', 'a=1', '--meta', 'a:=2'], /^meta: "a" was given twice$/],
  [['remember', 'x', '--expect', 'abc', '--name', 'n'], /^expect: "abc" is not a revision$/],
  [['remember', 'x', '--expect', '0123456789abcdef'], /^expect: a new experience has no earlier revision$/],
  [['learn', 'Staging server', '--expect', '0123456789abcdef'], /^learn without TEXT only reads/],
  [['reflect', '--session', 's'], /^reflect without TEXT only reads/],
  [['learn', '!!', 'x'], /^topic: "!!" has neither letter nor digit$/],
  [['reflect', ''], /^content: is empty$/, /--erase/],
  [['reflect', 'x', '--erase'], /^--erase and a text contradict each other$/],
  [['alias', 'Deploys', 'x', '--take', '--drop'], /^--take and --drop contradict each other$/],
  [['alias', 'Deploys', 'x', '--drop'], /^alias: "x" is not an alias of "Deploys"$/, /^Allowed: releases\.$/],
  [['rename', 'Deploys', 'MEMORY'], /^name: "MEMORY" is reserved$/],
  [['recall', '--days', '-1'], /^--days needs a value$/],
  [['recall', '--days=-1'], /^days: -1 is not allowed$/, /from 0 to 3660/],
  [['recall', '--days', 'many'], /^days: "many" is not a whole number$/],
  [['recall', '--budget', '0'], /^budget: 0 is not allowed$/],
  [['recall', '--explain'], /^--explain needs a QUERY$/, /^Search like this: keepsake recall /],
  [['recall', '--why-not', 'Deploys'], /^--why-not needs a QUERY$/],
  [['recall', '--days', '3', '--kind', 'note'], /^--kind needs a QUERY$/],
  [['recall', 'ship', '--days', '3'], /^--days is for recall without a QUERY$/, /--since "3 days ago"/],
  [['recall', ''], /^query: is empty$/],
  [['recall', ' \n'], /^query: is empty$/],
  [['recall', 'ship', '--limit', '0'], /^limit: 0 is not allowed$/, /from 1 to 100/],
  [['recall', 'ship', '--limit', '101'], /^limit: 101 is not allowed$/],
  [['recall', 'ship', '--budget', '0'], /^budget: 0 is not allowed$/],
  [['recall', 'ship', '--min-score', '1.5'], /^min-score: "1.5" is not allowed$/, /from 0 to 1/],
  [['recall', 'ship', '--min-score', 'high'], /^min-score: "high" is not allowed$/],
  [['recall', 'ship', '--kind', 'thought'], /^kind: "thought" is not a kind$/],
  [['recall', 'ship', '--since', 'someday'], /^since: "someday" is not a date$/, /"3 days ago"/],
  [['recall', 'ship', '--since', 'today', '--until', 'yesterday'], /^until: is not after --since$/],
  [['recall', 'ship', '--where', 'priority'], /^where: "priority" has no operator$/, /priority>=3/],
  [['recall', 'ship', '--mode', 'psychic'], /^mode: "psychic" /, /lexical/],
  [['recall', 'ship', '--why-not', ' '], /^ref: is empty$/],
  [['recall', 'ship', '-make'], /^there is no option "-make" here$/, /stands after "--"/],
  [['list', '--since', 'someday'], /^since: "someday" is not a date$/, /2026-11-15/],
  [['list', '--since', '2026-02-30'], /^since: "2026-02-30" is not a date$/],
  [['list', '--until', '2026-11-15T14:00:00'], /^until: "2026-11-15T14:00:00" is not a date$/],
  [['list', '--since', '2026-11-15', '--until', '2026-11-14'], /^until: is not after --since$/],
  [['init', '--layout', 'round'], /^layout: "round" is not a layout$/, /agents, flat/],
  [['init', '--timezone', 'Mars/Crater', '--workspace', 'new'], /^timezone: "Mars\/Crater" is not a time zone$/],
  [['list', '--agent', 'a b'], /^agent: "a b" is not an agent id$/],
  [['list', '--agent', 'world'], /^agent: "world" is the shared scope$/],
  [['list', '--workspace', 'file.txt'], /^workspace: .*file\.txt is not a folder$/],
  [['show', ''], /^name: is empty$/],
]

const NOT_FOUND: readonly Row[] = [
  [['show', 'Deplyos'], /^nothing here is called "Deplyos"$/, /^Did you mean "Deploys"\?$/],
  [['show', 'nothing like it'], /^nothing here is called/, /^List what there is with: keepsake list$/],
  [['show', '01a1e133-496c-70db-b1d6-41e6784225e9'], /^nothing here is called "01a1e133/],
  [['forget', 'nope', '--yes'], /^nothing here is called "nope"$/],
  [['rename', 'nope', 'x'], /^nothing here is called "nope"$/],
  [['alias', 'nope', 'x'], /^nothing here is called "nope"$/],
  [['learn', 'nope'], /^nothing here is called "nope"$/],
]

const NAME_TAKEN: readonly Row[] = [
  [['rename', 'Posters', 'Deploys'], /^"Deploys" already belongs to the note "Deploys"$/, /--take/],
  [['rename', 'Posters', 'releases'], /^"releases" already belongs to the note "Deploys"$/],
  [['alias', 'Posters', 'releases'], /^"releases" already belongs to the note "Deploys"$/],
  [['alias', 'Posters', 'Deploys', '--take'], /^"Deploys" already belongs to the note "Deploys"$/],
  [['remember', 'x', '--name', 'new', '--alias', 'Deploys'], /^"Deploys" already belongs to the note "Deploys"$/],
  [['remember', 'x', '--name', 'Deploys', '--kind', 'fact'], /^"Deploys" is a note and can't become a fact$/],
]

const CONFLICT: readonly Row[] = [
  [
    ['remember', 'x', '--name', 'Deploys', '--expect', '0123456789abcdef'],
    /is at revision [0-9a-f]{16}, not 0123456789abcdef$/,
  ],
  [['remember', 'x', '--name', 'Deploys', '--expect', 'new'], /^"Deploys" exists already, at revision /],
  [
    ['remember', 'x', '--name', 'nope', '--expect', '0123456789abcdef'],
    /^nope is gone; revision 0123456789abcdef was expected$/,
  ],
  [['learn', 'Staging server', 'x', '--expect', '0123456789abcdef'], /is at revision /, /Read it again, merge/],
  [['reflect', 'x', '--expect', '0123456789abcdef'], /is gone; revision 0123456789abcdef was expected$/],
]

const FAILED: readonly (readonly [code: string, ...Row])[] = [
  ['IO', ['list', '--workspace', 'chroma://127.0.0.1:9'], /^chroma:\/\/127\.0\.0\.1:9 can't be reached/],
  ['IO', ['list', '--workspace', 'n'.repeat(5000)], /can't be reached: ENAMETOOLONG/],
  ['READ_ONLY', ['remember', 'I am.', '--kind', 'identity'], /^the identity is not written: soul_editable is false$/],
]

const FIRST_OF_EACH = new Set([USAGE, NOT_FOUND, NAME_TAKEN, CONFLICT].map((rows) => rows[0]?.[0]))

describe.concurrent('a refused command', () => {
  let desk: Desk
  let before: string

  beforeAll(async () => {
    desk = await Desk.furnished()
    desk.edit('../file.txt', 'not a folder')
    before = desk.hash()
    sitDownAt(desk)
  })

  afterAll(() => {
    expect(desk.hash()).toBe(before)
  })

  async function refused(status: number, code: string, [args, says, hints]: Row): Promise<void> {
    const isFirst = FIRST_OF_EACH.has(args)
    const answer = await (isFirst ? desk.json(args) : jsonHere(args))
    expect(answer).toEqual({ error: { code, message: expect.stringMatching(says), hint: expect.any(String) }, status })
    if (hints) expect(answer.error.hint).toMatch(hints)
    expect(Object.keys(answer.error)).toEqual(['code', 'message', 'hint'])
  }

  it.each(USAGE.map((row) => [row[0].join(' '), row] as const))('ends with 2: %s', (_, row) =>
    refused(2, 'INVALID', row),
  )

  it.each(NOT_FOUND.map((row) => [row[0].join(' '), row] as const))('ends with 3: %s', (_, row) =>
    refused(3, 'NOT_FOUND', row),
  )

  it.each(NAME_TAKEN.map((row) => [row[0].join(' '), row] as const))('ends with 4: %s', (_, row) =>
    refused(4, 'NAME_TAKEN', row),
  )

  it.each(CONFLICT.map((row) => [row[0].join(' '), row] as const))('ends with 4: %s', (_, row) =>
    refused(4, 'CONFLICT', row),
  )

  it.each(FAILED.map(([code, ...row]) => [row[0].join(' '), code, row] as const))('ends with 1: %s', (_, code, row) =>
    refused(1, code, row),
  )

  it('tells people on standard error: what, then what to do', async () => {
    expect(await desk.run(['show', 'Deplyos'])).toEqual({
      status: 3,
      stdout: '',
      stderr: 'keepsake: nothing here is called "Deplyos"\nDid you mean "Deploys"?\n',
    })
  })

  it('tells what an option needs', async () => {
    expect((await desk.run(['remember', 'x', '--name'])).stderr).toBe(
      'keepsake: --name needs a value\nGive it as: --name NAME\n',
    )
  })

  it('is told also when it should be quiet', async () => {
    expect((await desk.run(['remember', '', '--quiet'])).stderr).toContain('content: is empty')
  })

  it.each([
    ['bytes that are no UTF-8', new Uint8Array([0x61, 0xff]), /^standard input: is not UTF-8$/],
    ['half a character', new TextEncoder().encode('é').subarray(0, 1), /^standard input: is not UTF-8$/],
    ['nothing', '', /^content: is empty$/],
    ['a NUL', 'a\0b', /^content: holds a NUL character$/],
  ])('refuses %s on standard input', async (_, input, says) => {
    expect(await desk.json(['remember', '-'], { input })).toMatchObject({
      status: 2,
      error: { code: 'INVALID', message: expect.stringMatching(says) },
    })
  })
})
