// Ways to break a file: flips, cuts, insertions, and what editors, disks and merges leave. By a seed, so that a case can be
// had again.
const INSERTIONS = [
  Buffer.from([0]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xc3]),
  Buffer.from('\n---\n'),
  Buffer.from('---\n'),
  Buffer.from('\n<<<<<<< ours\n'),
  Buffer.from('\n## 12:00\n<!-- {"id":"x"} -->\n'),
  Buffer.from('<!-- {"id":'),
  Buffer.from('\nname: [\n'),
  Buffer.from('&a [*a, *a]\n'),
  Buffer.from('\r\n'),
  Buffer.from('\u2028\u202e'),
  Buffer.from(`${'['.repeat(300)}\n`),
]

export function damaged(bytes, random) {
  const at = random.int(bytes.length + 1)
  switch (random.int(7)) {
    case 0:
      return flipped(bytes, random, 1)
    case 1:
      return flipped(bytes, random, 1 + random.int(20))
    case 2:
      return bytes.subarray(0, at)
    case 3:
      return bytes.subarray(at)
    case 4:
      return Buffer.concat([bytes.subarray(0, at), random.pick(INSERTIONS), bytes.subarray(at)])
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random.int(40)))])
    default:
      return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)])
  }
}

function flipped(bytes, random, count) {
  const out = Buffer.from(bytes)
  for (let n = 0; n < count && out.length > 0; n++) out[random.int(out.length)] ^= 1 << random.int(8)
  return out
}
