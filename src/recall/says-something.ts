/** Marks and pictures alone say nothing: no word stands for them, and a model makes nearly the same vector of all of them. */
export function saysSomething(text: string): boolean {
  return /[a-z0-9]/i.test(text) || /[\p{L}\p{N}]/u.test(text)
}
