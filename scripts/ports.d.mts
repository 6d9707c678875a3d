export function expectFree(port: number): Promise<void>
export function freePort(): Promise<number>
