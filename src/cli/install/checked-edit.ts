/**
 * An edit of a client's file that is looked at before it is let out. The check is by the parser, not by the editor: after
 * must be before plus or minus what is ours, and nothing else.
 */
import { DamagedError } from '../../errors.ts'
import type { ConfigFile } from './config-file.ts'
import { BrokenConfig } from './config-format.ts'

export interface Meant {
  readonly file: ConfigFile
  /** What to do where it can't be done. */
  readonly hint: string
  readonly isMeant: (before: string, after: string) => boolean
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Runs an edit on the text behind the byte order mark, and lets nothing out that is not what was meant. */
export function checked<Edit extends { readonly after: string | undefined }>(
  { file, hint, isMeant }: Meant,
  edit: (text: string | undefined) => Edit,
): Edit {
  const mark = file.text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const before = file.text?.slice(mark.length)
  try {
    const made = edit(before)
    const { after } = made
    if (after === before || isReadAsMeant(isMeant, before ?? '', after ?? '')) {
      return { ...made, after: after === undefined ? undefined : mark + after }
    }
  } catch (error) {
    if (!(error instanceof BrokenConfig)) throw error
    throw new DamagedError(`${file.path}:${error.line}:${error.column}`, error.message, hint)
  }
  throw new DamagedError(file.path, 'its form leaves no place that a program could edit safely', hint)
}

function isReadAsMeant(isMeant: Meant['isMeant'], before: string, after: string): boolean {
  try {
    return isMeant(before, after)
  } catch (error) {
    if (error instanceof BrokenConfig) return false
    throw error
  }
}
