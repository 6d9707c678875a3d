/** The fixtures of each format, read as the command line reads them, and the candidates in them. */
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { importFiles } from '../../src/cli/import-files.ts'
import { FORMATS, type ImportFormat } from '../../src/import/formats.ts'
import type { ImportPlan, ReadOptions, SourceFile } from '../../src/import/plan.ts'

export const OPTIONS: ReadOptions = { zone: 'Europe/Berlin', yaml: (text) => parse(text, { logLevel: 'error' }) }

export function fixture(name: string): string {
  return resolve(import.meta.dirname, 'fixtures', name)
}

/** What a checkout gives a file for a time is not part of it. */
export async function planOf(format: ImportFormat, name: string): Promise<ImportPlan> {
  const { files, problems } = await importFiles(FORMATS[format], fixture(name), name)
  const undated = files.map(({ path, text }): SourceFile => ({ path, text, modifiedAt: '2026-08-01T00:00:00.000Z' }))
  const { candidates, problems: unread } = FORMATS[format].read(undated, OPTIONS)
  return { candidates, problems: [...problems, ...unread] }
}
