import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Desk } from './keepsake.ts'

const TURNS = ['The heron stands in the water.', 'A printer broke down.', 'Deploys happen on Friday.', 'Nothing else.']

function write(desk: Desk, name: string, text: string): string {
  writeFileSync(join(desk.folder, name), text)
  return name
}

/** A small chat: two sessions, three queries. */
function chat(): string {
  const docs = TURNS.map((text, n) => ({ id: `t${n}`, text, session: n < 2 ? 's1' : 's2', time: '8 May, 2023' }))
  const queries = [
    { id: 'q0', text: 'where is the heron', relevant: ['t0'], category: 'single-hop' },
    { id: 'q1', text: 'when do deploys happen', relevant: ['t2'], category: 'temporal' },
    { id: 'q2', text: 'what does the zeppelin do', relevant: ['t3'], category: 'adversarial' },
  ]
  return JSON.stringify({ name: 'chat', scopes: [{ id: 'one', docs, queries }] })
}

describe('eval with files', () => {
  it('prints each run as JSON, for turns and sessions', async () => {
    const desk = new Desk()
    const { runs, status } = await desk.json(['eval', write(desk, 'chat.json', chat())])
    expect(status).toBe(0)
    expect(Object.keys(runs[0])).toEqual([
      'name',
      'level',
      'mode',
      'n',
      'recall@1',
      'recall@5',
      'recall@10',
      'ndcg@10',
      'mrr@10',
      'hit@10',
      'p50Ms',
      'p95Ms',
      'categories',
      'withoutAdversarial',
    ])
    expect(runs).toMatchObject([
      { name: 'chat', level: 'turn', mode: 'lexical', n: 3, withoutAdversarial: { n: 2, 'recall@1': 1, 'ndcg@10': 1 } },
      { name: 'chat', level: 'session', mode: 'lexical', n: 3, withoutAdversarial: { n: 2, 'recall@1': 1 } },
    ])
    expect(runs[0].categories.temporal).toMatchObject({ n: 1, 'recall@10': 1 })
  })

  it('prints tables for people, and touches no workspace', async () => {
    const desk = new Desk()
    write(desk, 'chat.json', chat())
    const before = desk.hash()
    const { status, stdout, stderr } = await desk.run(['eval', 'chat.json'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^chat turn: 3 queries, 4 docs, lexical\n +n +Recall@1 +Recall@5 +Recall@10 +nDCG@10/)
    expect(stdout).toMatch(/^ {2}without adversarial +2 +1\.000/m)
    expect(stdout).toMatch(/^ {2}a search takes \d+\.\d\d ms \(p50\), \d+\.\d\d ms \(p95\)$/m)
    expect(stdout).toMatch(/^chat session: 3 queries, 2 sessions/m)
    expect(stdout).toMatch(/^All runs\n.*\n {2}chat turn.*\n {2}chat session.*\n {2}mean /m)
    expect(desk.hash()).toBe(before)
  })

  it('reads lines of JSON, with turns alone where there are no sessions', async () => {
    const desk = new Desk()
    const lines = [
      ...TURNS.map((text, n) => ({ type: 'doc', id: `t${n}`, title: text.slice(0, 9), text })),
      { type: 'query', id: 'q', text: 'printer', relevant: ['t1', 'gone'] },
      { type: 'query', id: 'none', text: 'printer', relevant: [] },
    ]
    write(desk, 'own.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'))
    const { runs, warnings } = await desk.json(['eval', 'own.jsonl'])
    expect(runs).toMatchObject([{ name: 'own', level: 'turn', n: 1, 'recall@1': 0.5, 'hit@10': 1 }])
    expect(warnings).toEqual([
      'own turn: 1 queries have no relevant doc and were left out',
      'own turn: 1 relevant docs are not there and count as not found',
    ])
  })

  it('measures only the level that is asked for', async () => {
    const desk = new Desk()
    write(desk, 'chat.json', chat())
    const { runs } = await desk.json(['eval', 'chat.json', '--level', 'session'])
    expect(runs.map(({ level }: { level: string }) => level)).toEqual(['session'])
  })

  it('saves runs and compares them', async () => {
    const desk = new Desk()
    write(desk, 'chat.json', chat())
    const { stdout } = await desk.run(['eval', 'chat.json', '--save', 'a.json'])
    expect(stdout).toContain('Saved to a.json')
    const saved = readFileSync(join(desk.folder, 'a.json'), 'utf8')
    write(desk, 'b.json', saved.replace(/"mrr@10":0,/, '"mrr@10":0.5,'))
    const { comparisons } = await desk.json(['eval', '--compare', 'a.json', 'b.json'])
    expect(comparisons).toMatchObject([
      { name: 'chat', level: 'turn', n: 3, unpaired: 0, metrics: { 'ndcg@10': { delta: 0, p: 1, ties: 3 } } },
      { name: 'chat', level: 'session' },
    ])
    const shown = await desk.run(['eval', '--compare', 'a.json', 'b.json'])
    expect(shown.stdout).toMatch(
      /^chat turn: 3 queries in both\n +first +second +delta +95 % interval +p +better\/worse/,
    )
    expect(shown.stdout).toMatch(/^ {2}nDCG@10 .* 0\.000 +0\.000 to 0\.000 +1\.000 +0\/0$/m)
  })

  it.each([
    [['missing.json'], 3, 'NOT_FOUND', 'missing.json'],
    [['folder'], 2, 'INVALID', 'folder is a folder'],
    [['broken.json'], 2, 'INVALID', 'broken.json is not JSON'],
    [['latin.json'], 2, 'INVALID', 'latin.json is not UTF-8'],
    [['chat.json', '--level', 'word'], 2, 'INVALID', '"word" is not a level'],
    [['flat.jsonl', '--level', 'session'], 2, 'INVALID', 'no sessions'],
    [['chat.json', '--mode', 'hybrid'], 2, 'NO_EMBEDDINGS', 'no embedding model'],
    [['chat.json', '--mode', 'magic'], 2, 'INVALID', '"magic" is not a mode'],
    [['chat.json', '--save', 'chat.json'], 2, 'INVALID', 'is there already'],
    [['chat.json', '--save', 'nowhere/a.json'], 2, 'INVALID', 'there is no folder'],
    [['chat.json', '--save', 'broken.json/a.json'], 1, 'IO', "can't be written"],
    [['--compare', 'chat.json'], 2, 'INVALID', '--compare takes two FILEs'],
    [['--compare', 'chat.json', 'chat.json'], 2, 'INVALID', 'holds no runs'],
    [['--save', 'x.json'], 2, 'INVALID', '--save goes with FILE'],
  ])('%j is refused', async (args, status, code, message) => {
    const desk = new Desk()
    write(desk, 'chat.json', chat())
    write(desk, 'broken.json', '{')
    writeFileSync(join(desk.folder, 'latin.json'), Buffer.from([0x22, 0xe9, 0x22]))
    write(desk, 'flat.jsonl', '{"type":"doc","id":1,"text":"a"}\n{"type":"query","id":1,"text":"a","relevant":[1]}\n')
    mkdirSync(join(desk.folder, 'folder'))
    const printed = await desk.json(['eval', ...args])
    expect([printed.status, printed.error?.code]).toEqual([status, code])
    expect(printed.error.message).toContain(message)
    expect(printed.error.hint).not.toBe('')
  })
})

describe('eval without a file', () => {
  it('checks the tests of the workspace: all hold', async () => {
    const desk = await Desk.furnished()
    desk.edit('recall.tests.md', '# Ours\n\n- make ship -> must find Deploys\n- printer → must not find releases\n')
    const { status, stdout, stderr } = await desk.run(['eval'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toBe(
      [
        'holds  recall.tests.md:3  make ship -> must find Deploys  hit 1',
        'holds  recall.tests.md:4  printer -> must not find releases',
        '',
        '2 tests: all hold.',
        '',
      ].join('\n'),
    )
    expect((await desk.run(['eval', '--quiet'])).stdout).toBe('')
  })

  it('tells which fail and why, and ends with status 1', async () => {
    const desk = await Desk.furnished()
    desk.edit(
      'recall.tests.md',
      'make ship -> must find Deploys\nzeppelin -> must find Posters\nprinter -> must not find Posters\nx -> must find Nobody\n',
    )
    const printed = await desk.json(['eval'])
    expect(printed).toMatchObject({ status: 1, passed: 1, failed: 3 })
    expect(printed.tests).toMatchObject([
      { line: 1, query: 'make ship', expect: 'find', name: 'Deploys', passed: true, rank: 1 },
      { line: 2, passed: false },
      { line: 3, expect: 'not find', passed: false, rank: 1, sentence: 'It is hit 1 of 1.' },
      { line: 4, passed: false, sentence: 'Nothing here is called "Nobody".' },
    ])
    expect(printed.tests[1].sentence).toMatch(/\w.*\.$/)
    const { status, stdout } = await desk.run(['eval', '--quiet'])
    expect([status, stdout.match(/^fails/gm)?.length]).toEqual([1, 3])
  })

  it("tells of a file that can't be read, for that may be why a test fails", async () => {
    const desk = await Desk.furnished()
    desk.edit('agents/main/entries/broken.md', '---\nname: [broken\n---\nmake ship\n')
    desk.edit('recall.tests.md', 'make ship -> must find broken\nship -> must find Deploys\n')
    const { failed, warnings } = await desk.json(['eval'])
    expect(failed).toBe(1)
    expect(warnings).toEqual([expect.stringContaining('agents/main/entries/broken.md: line 2')])
    expect((await desk.run(['eval'])).stderr).toContain('agents/main/entries/broken.md: line 2')
  })

  it('names the line of a test that is broken', async () => {
    const desk = await Desk.furnished()
    desk.edit('recall.tests.md', '# Ours\n\nmake ship -> finds Deploys\n')
    const { status, error } = await desk.json(['eval'])
    expect([status, error.code]).toEqual([2, 'INVALID'])
    expect(error.message).toContain('recall.tests.md:3')
  })

  it('says how to begin where there is no such file, or nothing in it', async () => {
    const desk = await Desk.furnished()
    const none = await desk.json(['eval'])
    expect([none.status, none.error.code]).toEqual([3, 'NOT_FOUND'])
    expect(none.error.hint).toContain('when do we deploy -> must find Deploys')
    desk.edit('recall.tests.md', '# Nothing yet\n')
    expect((await desk.json(['eval'])).error).toMatchObject({ code: 'INVALID', message: 'recall.tests.md has no test' })
  })
})
