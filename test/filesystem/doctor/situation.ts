/** One way to come to a finding, made with real files, and what is to be said of it. */
import type { Severity } from '../../../src/stores/disk/doctor/codes.ts'
import type { FilesystemStoreOptions } from '../../../src/stores/filesystem/store.ts'
import type { Ward } from './ward.ts'

export interface Situation {
  readonly severity: Severity
  readonly make: (ward: Ward) => void | Promise<void>
  readonly path: string | RegExp
  readonly problem: RegExp
  readonly options?: (ward: Ward) => Partial<FilesystemStoreOptions>
}
