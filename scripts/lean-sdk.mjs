// The MCP SDK and zod without what a start would pay for and a server like ours never uses. Each change is checked: another
// version of the SDK that no longer has what is changed here fails the build, and does not quietly start slower.
//  - ajv (150 kB), which the SDK would check forms with that a client filled in: our server shows none.
//  - The SDK makes some 180 schemas when it is loaded, and lists them all in two tables for those who want to validate by the
//    name of a type. Without the tables and with the schemas marked as free of side effects, esbuild keeps those in use.
//  - All schemas of the protocol would be made at the first message: see lazy-schemas.mjs.
//  - zod would compile a function for each schema it meets, which pays after hundreds of messages.
import { readFileSync } from 'node:fs'
import { lazySchemas } from './lazy-schemas.mjs'

const SHIMS = `
import process from 'node:process'
class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('this server checks no JSON Schema')
  }
}
export { DefaultJsonSchemaValidator, process }`

const TABLES =
  /^for \(const (key of SPEC_SCHEMA_KEYS|\[key, schema\] of Object\.entries\(authSchemas\))\) register\(.*\n/gm
/** From its name to the line before the next that is not indented and closes nothing. */
const SCHEMA = /^const (\w+Schema) = ((?:.*\n)(?:[\t}\])].*\n)*)/gm

export const leanSdk = {
  name: 'lean-sdk',
  setup(bundle) {
    const unmet = new Set(['shims'])
    bundle.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: 'shims',
      namespace: 'shims',
    }))
    bundle.onLoad({ filter: /.*/, namespace: 'shims' }, () => {
      unmet.delete('shims')
      return { contents: SHIMS }
    })
    const change = (filter, into) => {
      unmet.add(filter.source)
      bundle.onLoad({ filter }, ({ path }) => {
        unmet.delete(filter.source)
        return { contents: into(readFileSync(path, 'utf8'), path), loader: 'js' }
      })
    }
    bundle.onEnd(() => {
      if (unmet.size > 0)
        throw new Error(`the SDK has no such file any more: ${[...unmet].join(', ')}; see lean-sdk.mjs`)
    })
    change(/@modelcontextprotocol[\\/]server[\\/]dist[\\/]src-\w+\.mjs$/, (code, path) =>
      lazySchemas(replaced(code, TABLES, '', 2, path), path),
    )
    change(/@modelcontextprotocol[\\/]core[\\/]dist[\\/](schemas|auth)-[\w-]+\.mjs$/, (code, path) =>
      replaced(code, SCHEMA, markedPure, 10, path),
    )
    change(/zod[\\/]v4[\\/]core[\\/]core\.js$/, (code, path) =>
      replaced(code, /__zod_globalConfig/, '$&', 1, path).replace(
        /^/,
        'globalThis.__zod_globalConfig ??= { jitless: true }\n',
      ),
    )
  },
}

function markedPure(_, name, value) {
  return `const ${name} = /* @__PURE__ */ (() => ${value.trimEnd().replace(/;$/, '')})();\n`
}

function replaced(code, pattern, by, least, path) {
  const found = code.match(pattern)?.length ?? 0
  if (found < least)
    throw new Error(`${path} is not as expected: ${found} places to change, not ${least}; see lean-sdk.mjs`)
  return code.replace(pattern, by)
}
