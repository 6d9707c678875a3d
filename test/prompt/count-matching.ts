/** Counts how much regular expressions read while something runs: the prompt code scans text only with them. */
export interface Matching {
  /** How often one was asked for its next match. */
  readonly calls: number
  /** The length of the longest text that one was given. */
  readonly longest: number
}

export async function countMatching(run: () => unknown): Promise<Matching> {
  const { exec } = RegExp.prototype
  let [calls, longest] = [0, 0]
  RegExp.prototype.exec = function (text) {
    calls++
    longest = Math.max(longest, text.length)
    return exec.call(this, text)
  }
  try {
    await run()
  } finally {
    RegExp.prototype.exec = exec
  }
  return { calls, longest }
}
