export function lostTail(round: { readonly seed: number; readonly steps: number; readonly cuts: number }): Promise<void>
