// The MCP SDK makes all 280 schemas of both eras of the protocol when the first message arrives, and a conversation needs a
// dozen of them: making the others was a twentieth of the time to the first answer. Here each is made when it is asked for. In
// the two functions that make them, `const A = expression` becomes a function that keeps its value, and what names A calls it.

const BUILDER = /^function (build(?:\$1)?)\(\) \{\n([\s\S]*?)^\treturn \{\n([\s\S]*?)^\t\};\n\}\n/gm
/** One tab, and all lines below that are indented further or close something. */
const CONSTANT = /^\tconst ([\w$]+) = ((?:.*\n)(?:\t[\t}\])].*\n)*)/gm
/** A property of what the function returns, two tabs deep. */
const PROPERTY = /^\t\t([\w$]+)(?:: ((?:.*\n)(?:\t\t[\t}\])].*\n)*)|,?\n)/gm
/** The tables by method, which would ask for all of them. */
const ROW = /^(\t\t\t)(\w+|"[^"]+"): (s\.\w+)(,?)$/gm

export function lazySchemas(code, path) {
  const builders = code.match(BUILDER)?.length ?? 0
  const rows = code.match(ROW)?.length ?? 0
  if (builders !== 2 || rows < 30) {
    throw new Error(`${path} is not as expected: ${builders} builders, ${rows} rows; see lazy-schemas.mjs`)
  }
  return code.replace(BUILDER, lazyBuilder).replace(ROW, '$1get $2() { return $3 }$4')
}

function lazyBuilder(_, builder, body, returned) {
  const names = [...body.matchAll(CONSTANT)].map(([, name]) => name)
  if (names.length < 100) throw new Error(`${builder} makes ${names.length} schemas; see lazy-schemas.mjs`)
  // Not where it is declared, a key, a part of another name, or in a text.
  const mention = new RegExp(
    `(?<!const |[\\w$"'\`]|(?<!\\.\\.)\\.)(${names.map((name) => name.replaceAll('$', '\\$')).join('|')})(?![\\w$:"'\`])`,
    'g',
  )
  const called = (text) => text.replace(mention, (name) => `${name}()`)
  const constants = body.replace(
    CONSTANT,
    (_, name, value) => `\tlet ${name}$kept;\n\tconst ${name} = () => ${name}$kept ??= ${value}`,
  )
  const properties = returned.replace(PROPERTY, (_, key, value = key) => {
    const expression = called(value.trimEnd().replace(/,$/, ''))
    return `get ${key}() { const value = ${expression}; Object.defineProperty(this, "${key}", { value }); return value },\n`
  })
  return `function ${builder}() {\n${called(constants)}\treturn {\n${properties}\t};\n}\n`
}
