/** Everything that the API answers with JSON. */
import type { Route } from './route.ts'
import { CHANGES } from './routes/changes.ts'
import { context } from './routes/context.ts'
import { ENTRIES } from './routes/entries.ts'
import { map } from './routes/map.ts'
import { OVERVIEW } from './routes/overview.ts'
import { SEARCH } from './routes/search.ts'
import { TIMELINE } from './routes/timeline.ts'
import { removeSample, workspace } from './routes/workspace.ts'

export const ROUTES: readonly Route[] = [
  workspace,
  ...ENTRIES,
  ...SEARCH,
  ...TIMELINE,
  ...CHANGES,
  context,
  ...OVERVIEW,
  map,
  removeSample,
]

/** The route of a path, with what stands in it; or the methods of the path's other routes. */
export function matched(
  method: string,
  path: string,
):
  | { readonly route: Route; readonly inPath: Readonly<Record<string, string>> }
  | { readonly methods: readonly string[] } {
  const fitting = ROUTES.flatMap((route) => {
    const inPath = partsIn(route.path, path)
    return inPath ? [{ route, inPath }] : []
  })
  return fitting.find(({ route }) => route.method === method) ?? { methods: fitting.map(({ route }) => route.method) }
}

/** `undefined`: it is another path. A part may hold anything, encoded; what is no encoding fits nothing. */
function partsIn(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')]
  if (wanted.length !== given.length) return undefined
  const inPath: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) {
      if (part !== value) return undefined
      continue
    }
    const decoded = decodedPart(value)
    if (decoded === undefined || decoded === '') return undefined
    inPath[name] = decoded
  }
  return inPath
}

function decodedPart(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
