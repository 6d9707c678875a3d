/**
 * One thing that the API answers, said once: from its tables of parameters come the check of what is sent and what docs/openapi.json
 * says. A route knows no HTTP; api-part.ts is where the two meet.
 */
import { InvalidError } from '../errors.ts'
import { checkedArguments, type Given, type ParameterTable } from '../tools/parameters.ts'
import type { Served } from './served.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Who asks, and about whose memory. */
export interface Call {
  readonly served: Served
  readonly signal: AbortSignal
}

export interface Definition<Path extends ParameterTable, Query extends ParameterTable, Body extends ParameterTable> {
  readonly method: Method
  /** Below /api/v1; a part in braces is a parameter of `inPath`. */
  readonly path: string
  readonly summary: string
  readonly inPath?: Path
  readonly query?: Query
  /** Left out: it takes none. */
  readonly body?: Body
  /** The name of its answer among the schemas. */
  readonly answer: string
  readonly run: (given: Given<Path> & Given<Query> & Given<Body>, call: Call) => Promise<object>
}

export interface Route {
  readonly method: Method
  readonly path: string
  readonly summary: string
  readonly inPath: ParameterTable
  readonly query: ParameterTable
  readonly body: ParameterTable | undefined
  readonly answer: string
  /** What was sent, as it came; what does not fit is INVALID. */
  readonly run: (sent: Sent, call: Call) => Promise<object>
}

export interface Sent {
  readonly inPath: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
}

export function defineRoute<
  Path extends ParameterTable = Record<never, never>,
  Query extends ParameterTable = Record<never, never>,
  Body extends ParameterTable = Record<never, never>,
>(definition: Definition<Path, Query, Body>): Route {
  // Left out, each is the empty table that its type says.
  const inPath = definition.inPath ?? ({} as Path)
  const query = definition.query ?? ({} as Query)
  const body = definition.body ?? ({} as Body)
  const { method, path, summary, answer } = definition
  return {
    ...{ method, path, summary, answer, inPath, query, body: definition.body },
    run: async (sent, call) => {
      // Nothing at all is no good answer to what it should hold: an undo of nothing in particular is one of the newest.
      if (definition.body && Object(sent.body) !== sent.body)
        throw new InvalidError('body', 'is no object', 'an object')
      const given = {
        ...checkedArguments(sent.body, body),
        ...checkedArguments(fromQuery(sent.query, query), query),
        ...checkedArguments(sent.inPath, inPath),
      }
      return definition.run(given, call)
    },
  }
}

/** As its table means it: a list is repeated, a flag is a word. What is not in the table stays, to be refused. */
function fromQuery(query: URLSearchParams, table: ParameterTable): Readonly<Record<string, unknown>> {
  const names = [...new Set(query.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const type = Object.hasOwn(table, name) ? table[name]?.schema.type : undefined
      const all = query.getAll(name)
      if (type === 'array' || all.length > 1) return [name, all]
      const [value] = all
      return [name, type === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value]
    }),
  )
}
