export function lostWrites(round: { readonly seed: number; readonly steps: number }): Promise<void>
