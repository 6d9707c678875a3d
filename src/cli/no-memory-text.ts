/** The text shown instead of an empty answer if there is no memory yet; `undefined` if there is one. */
import { homeFolder } from '../config/home-folder.ts'
import type { Opened } from './command.ts'
import type { Screen } from './screen.ts'

export function noMemoryText({ root, isThere }: Opened, screen: Screen): string | undefined {
  if (isThere) return undefined
  const shown = screen.path('', root)
  const home = homeFolder()
  const place = shown.startsWith(`${home}/`) ? `~${shown.slice(home.length)}` : shown
  return `No memories yet in ${place}. Start one here with \`keepsake init\`.`
}
