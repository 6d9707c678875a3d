/** The agent programs that call hooks. */
export const HOOK_CLIENTS = ['claude', 'codex', 'gemini'] as const

export type HookClient = (typeof HOOK_CLIENTS)[number]
