import type { ChildProcess } from 'node:child_process'

interface Problem {
  problem: string
}
interface Started {
  problem?: undefined
  child: ChildProcess
  address: string
  ended: Promise<string>
}
export function chromaProgram(options?: {
  node?: string
  mayFetch?: boolean
}): Problem | { problem?: undefined; program: string[] }
export function startChroma(options: { program: string[]; folder: string; port: number }): Promise<Problem | Started>
export function answersAt(address: string): Promise<boolean>
