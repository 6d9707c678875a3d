/** Lets everybody else have a turn: long work that never waits for anything would keep them from it. */
export function breath(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
