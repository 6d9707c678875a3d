// `npm run bench`: every number as a ratio to a peer or to the physical floor, measured in the same run.
//   --quick   fewer rounds and a smaller large memory, for CI
import { benchCheck } from './check.mjs'
import { benchRemember } from './remember.mjs'
import { benchStart } from './start.mjs'
import { printTable } from './table.mjs'

const quick = process.argv.includes('--quick')
const rows = [
  ...(await benchRemember(
    quick ? { rounds: 5, perRound: 20, large: 10_000 } : { rounds: 20, perRound: 40, large: 100_000 },
  )),
  ...(await benchCheck(quick ? { rounds: 5, files: 10_000 } : { rounds: 15, files: 10_000 })),
  ...(await benchStart(quick ? { rounds: 5 } : { rounds: 20 })),
]
console.log(`node ${process.version}, ${quick ? 'quick' : 'full'}`)
printTable(rows)
