/**
 * What helpers that many test files share have to put away. `afterAll` in such a helper would serve only the first of the files
 * that share a process, for a module is loaded once; this is called after each of them.
 */
type Task = () => unknown

const tasks: Task[] = []

/** Done when the test file that runs now is through; what was begun last comes first. */
export function afterThisFile(task: Task): void {
  tasks.push(task)
}

export async function cleanUp(): Promise<void> {
  for (let task = tasks.pop(); task; task = tasks.pop()) await task()
}
