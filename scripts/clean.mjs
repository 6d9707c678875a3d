// Empties dist/ so that a file that was renamed or removed in src/ is not published from an old build.
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
