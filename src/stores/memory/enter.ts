/** Called at the beginning of every call: throws when the store is closed or the call was given up. */
export type Enter = (signal?: AbortSignal) => void
