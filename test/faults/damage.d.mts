import type { Random } from '../../src/testing/random.ts'

export function damaged(bytes: Buffer, random: Random): Buffer
