/** The path of a program of this folder, bundled so that it starts soon. */
export function bundled(name: string): string
