export function pretendNewBoot(root: string): void
/** What a killed writer leaves beside the files: its lock, and a temporary file. */
export function leaveLockAndLitter(root: string): void
