// The bundle as CommonJS: esbuild can cut a program up only as modules, and Node takes a fifth of its own start longer for those.
// So each file is made over, and loads the others by `require`.
import { transformSync } from 'esbuild'

export function asCommonJs(code) {
  const { code: made } = transformSync(code, {
    format: 'cjs',
    target: 'node20.19',
    minify: true,
    legalComments: 'inline',
    // `createRequire` takes a path as well.
    define: { 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
    // Code that V8 compiled earlier can't import.
    supported: { 'dynamic-import': false },
  })
  // esbuild would copy what a file exports, one by one, into an object that is marked as made from a module; nobody looks at the mark.
  const exported = made.replace(/module\.exports=[\w$]+\(([\w$]+)\)/, 'module.exports=$1')
  // Node's own module of that name brings its loader of modules along, and here it is only asked for the `require` that is here.
  return inAscii(exported.replaceAll('require("node:module")', '{createRequire:()=>require}'))
}

/** A byte a character, which is half of what V8 has to read. esbuild leaves only what stands in regular expressions and comments. */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
