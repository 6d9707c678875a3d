/**
 * Which of what could not be read is the thing that was asked for: an answer must not say that there is none. Known by the
 * file's name, for that is made from the thing's; a folder that can't be read may hold it.
 */
import { KeepsakeError } from '../errors.ts'
import { slug } from './name.ts'

/** What a file is called whose name has neither letter nor digit. */
const NAMELESS = 'untitled'

interface Problem {
  readonly path: string
  readonly problem: string
}

/** `undefined` where none of these stands for it. `names`: by which it may be known; without any, each problem counts. */
export function unreadable(problems: readonly Problem[], names?: readonly string[]): KeepsakeError | undefined {
  const stems = names?.map((name) => slug(name) || NAMELESS)
  const found = problems.find(({ path }) => path !== '.' && (stems === undefined || mayHold(path, stems)))
  if (!found) return undefined
  const { path, problem } = found
  return new KeepsakeError('DAMAGED', `${path} can't be read: ${problem}`, {
    hint: 'It was left as it is. See what is wrong with: keepsake doctor',
    data: { path },
  })
}

function mayHold(path: string, stems: readonly string[]): boolean {
  const file = /([^/]+)\.md$/.exec(path)?.[1]
  if (file === undefined) return true
  const stem = slug(file)
  // A name whose file name was taken has a number at the end of its own.
  return stems.some((wanted) => stem === wanted || stem.replace(/-\d+$/, '') === wanted)
}
