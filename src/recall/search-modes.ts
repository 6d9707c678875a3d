/** The ways to search, by name. */
import type { SearchMode } from './found.ts'

export const SEARCH_MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid']
