/**
 * What the filesystem store can do for its own health: look at itself, and mend what needs no judging. Loaded when it
 * is asked for, since no other command needs any of it.
 */
import type { Examination, Mending, OnExamined } from '../../disk/doctor/examination.ts'
import type { ExamineOptions } from './evidence.ts'
import type { RepairSource } from './mend.ts'

export { mendable, type Severity } from '../../disk/doctor/codes.ts'
export type { Checked, Examination, Mending } from '../../disk/doctor/examination.ts'
export type { Finding } from '../../disk/doctor/finding.ts'

export interface Doctor {
  /** What is wrong, or may be. Writes nothing and takes no lock. */
  examine(onProgress?: OnExamined): Promise<Examination>
  /** Copies the workspace beside itself, then fixes what is safe to fix automatically. */
  mend(onProgress?: OnExamined): Promise<Mending>
}

export function fileDoctor(source: RepairSource, identityPath: string | undefined, enter: () => void): Doctor {
  const options = (onProgress: OnExamined | undefined): ExamineOptions => {
    enter()
    const { root, yaml, layout } = source.workspace
    return { root, yaml, wish: { agent: layout.flatAgent }, identityPath, onProgress }
  }
  return {
    async examine(onProgress) {
      const asked = options(onProgress)
      return examineAnything(asked)
    },
    async mend(onProgress) {
      const asked = options(onProgress)
      const { mend } = await import('./mend.ts')
      return mend(source, asked)
    },
  }
}

/** Also for a workspace that is too damaged to be opened. */
export async function examineAnything(options: ExamineOptions): Promise<Examination> {
  const { examine } = await import('./examine.ts')
  return examine(options)
}
