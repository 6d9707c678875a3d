/** `1 entry`, `2 entries`: a number and what it counts. */
export function counted(number: number, one: string, many: string): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`
}
