/** The documents: what they link to is there, and each is found and shipped. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const DOCS = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
const DECISIONS = readdirSync(join(ROOT, 'docs/decisions'))
const FILES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...DOCS.map((name) => `docs/${name}`),
  ...DECISIONS.map((name) => `docs/decisions/${name}`),
]

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** As the places that show Markdown make them of headings. */
function anchorsOf(file: string): readonly string[] {
  const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase())
  return headings.map((heading) =>
    heading
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

function brokenIn(file: string): string[] {
  const prose = read(file).replace(/```[\s\S]*?```/g, '')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(join(ROOT, target))) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
  })
}

describe('the documents', () => {
  it.each(FILES)('%s links only to what is there', (file) => {
    expect(brokenIn(file)).toEqual([])
  })

  it('are all in the index and in the package', () => {
    const { files } = JSON.parse(read('package.json'))
    expect(DOCS.filter((name) => !files.includes(`docs/${name}`))).toEqual([])
    const index = read('docs/README.md')
    expect(DOCS.filter((name) => name !== 'README.md' && !index.includes(`(${name})`))).toEqual([])
  })

  it('list every decision', () => {
    const architecture = read('ARCHITECTURE.md')
    expect(DECISIONS.filter((name) => !architecture.includes(`docs/decisions/${name}`))).toEqual([])
  })

  it('begin with a README of less than 250 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThan(250)
  })
})
