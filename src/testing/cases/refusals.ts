/** What no store takes, as one table: the operation, and the code that says why. */
import type { ErrorCode } from '../../errors.ts'
import type { AddOperation, Operation } from '../../model/operation.ts'
import { equal, present, rejects } from '../assert.ts'
import type { Rule } from '../harness.ts'
import { apply, context, experience, givenId, note, scanned, topic } from '../requests.ts'

export const refusalRules: readonly Rule[] = [
  {
    name: 'refuses what is not allowed with the code that says why, and changes nothing',
    async run({ store }) {
      await apply(store, [note('held', { id: givenId(1) }), topic('page', { id: givenId(2) }), experience('line')])
      await apply(store, [{ op: 'add', scope: 'main', kind: 'memory', content: 'm' }])
      const before = await scanned(store)
      const line = present(before.find(({ kind }) => kind === 'experience')?.id, 'the experience')
      const memory = present(before.find(({ kind }) => kind === 'memory')?.id, 'the memory')
      const gives = store.capabilities.lastingSeq === true
      for (const [operation, code] of refusals(line, memory)) {
        if (!gives && 'seq' in operation) continue
        await rejects(apply(store, [operation]), code, `${JSON.stringify(operation)}`)
      }
      // A caller in JavaScript can hand in what the types forbid.
      const nobody = { by: 'nobody' as 'hand' }
      await rejects(store.apply({ operations: [note('x')], origin: nobody }), 'INVALID', 'an unknown origin')
      equal(await scanned(store), before, 'the entries')
    },
  },
]

function refusals(line: string, memory: string): readonly (readonly [Operation, ErrorCode])[] {
  const unknown = givenId(404)
  const bad = (given: Readonly<Record<string, unknown>>): AddOperation => ({ ...note('x'), ...given }) as AddOperation // on purpose beyond the type
  return [
    [bad({ kind: 'dream' }), 'INVALID'],
    [bad({ kind: undefined }), 'INVALID'],
    [bad({ op: 'upsert' }), 'INVALID'],
    [bad({ content: '' }), 'INVALID'],
    [bad({ content: ' \n\t' }), 'INVALID'],
    [bad({ content: 'a\0b' }), 'INVALID'],
    [bad({ content: '\ud800' }), 'INVALID'],
    [bad({ content: 7 }), 'INVALID'],
    [bad({ name: ' ' }), 'INVALID'],
    [bad({ name: 'a\nb' }), 'INVALID'],
    [bad({ name: 'x'.repeat(201) }), 'INVALID'],
    [bad({ name: '\udc00' }), 'INVALID'],
    [bad({ aliases: ['ok', ''] }), 'INVALID'],
    [bad({ metadata: { n: Number.NaN } }), 'INVALID'],
    [bad({ metadata: [1] }), 'INVALID'],
    [bad({ description: 'a\0' }), 'INVALID'],
    [bad({ expiresAt: 'tomorrow' }), 'INVALID'],
    [bad({ createdAt: '2026-01-01' }), 'INVALID'],
    [bad({ createdAt: '2026-02-30T00:00:00Z' }), 'INVALID'],
    [bad({ updatedAt: 'x' }), 'INVALID'],
    [bad({ id: 'x' }), 'INVALID'],
    [bad({ seq: 0 }), 'INVALID'],
    [bad({ seq: 1.5 }), 'INVALID'],
    [bad({ key: 'k' }), 'INVALID'],
    [bad({ scope: 'world' }), 'INVALID'],
    [bad({ scope: '../x' }), 'INVALID'],
    [bad({ scope: '' }), 'INVALID'],
    [bad({ origin: { by: 'nobody' } }), 'INVALID'],
    [topic('x', { scope: 'main' }), 'INVALID'],
    [topic('?!'), 'INVALID'],
    [topic('x', { expiresAt: '2030-01-01T00:00:00.000Z' }), 'INVALID'],
    [context('', 'x'), 'INVALID'],
    [context('k', 'x', { name: 'n' }), 'INVALID'],
    [context('k', 'x', { aliases: ['n'] }), 'INVALID'],
    [experience('x', { name: 'n' }), 'INVALID'],
    [experience('x', { key: 'k' }), 'INVALID'],
    [{ op: 'add', scope: 'new', kind: 'memory', content: 'x', name: 'other' }, 'INVALID'],
    [{ op: 'add', scope: 'new', kind: 'memory', content: 'x', metadata: { m: 1 } }, 'INVALID'],
    [{ op: 'add', scope: 'new', kind: 'identity', content: 'x', description: 'd' }, 'INVALID'],
    [note('x', { id: givenId(1) }), 'CONFLICT'],
    [note('held'), 'NAME_TAKEN'],
    [{ op: 'write', id: givenId(1) }, 'INVALID'],
    [{ op: 'write', id: givenId(1), content: ' ' }, 'INVALID'],
    [{ op: 'write', id: line, content: '' }, 'INVALID'],
    [{ op: 'write', id: givenId(2), expiresAt: '2030-01-01T00:00:00.000Z' }, 'INVALID'],
    [{ op: 'write', id: memory, description: 'd' }, 'INVALID'],
    [{ op: 'write', id: memory, metadata: { m: 1 } }, 'INVALID'],
    [{ op: 'write', id: unknown, content: 'x' }, 'NOT_FOUND'],
    [{ op: 'rename', id: givenId(1), name: '' }, 'INVALID'],
    [{ op: 'rename', id: givenId(2), name: '...' }, 'INVALID'],
    [{ op: 'rename', id: line, name: 'x' }, 'INVALID'],
    [{ op: 'rename', id: unknown, name: 'x' }, 'NOT_FOUND'],
    [{ op: 'alias', id: givenId(1), alias: '\t' }, 'INVALID'],
    [{ op: 'alias', id: givenId(1), alias: 'x', mode: 'steal' as 'take' }, 'INVALID'],
    [{ op: 'alias', id: memory, alias: 'x' }, 'INVALID'],
    [{ op: 'alias', id: unknown, alias: 'x' }, 'NOT_FOUND'],
    [{ op: 'remove', id: unknown }, 'NOT_FOUND'],
  ]
}
