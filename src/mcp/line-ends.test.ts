import { Buffer } from 'node:buffer'
import { expect, it } from 'vitest'
import { endsOf, idAtEnds } from './line-ends.ts'

const MUCH = 'x'.repeat(10_000)

it.each([
  [`{"jsonrpc":"2.0","id":7,"method":"m","params":{"text":"${MUCH}"}}`, 7],
  [`{"jsonrpc":"2.0","method":"m","id":"a-1","params":{"id":9,"text":"${MUCH}"}}`, 'a-1'],
  [`{"method":"m","params":{"text":"${MUCH}","id":3},"jsonrpc":"2.0","id":8}`, 8],
  [`{"method":"m","params":{"text":"${MUCH}"}, "id" : "b" , "jsonrpc" : "2.0" }\r`, 'b'],
  [`{"method":"m","params":{"text":"${MUCH}","id":3}}`, null],
  [`{"params":{"id":3,"text":"${MUCH}"},"method":"m"}`, null],
  [`{"method":"m","params":{"id":3,"text":"${MUCH}"}}`, null],
  [`{"method":"m","params":"${MUCH}","x\\"id":5}`, null],
  [`{"method":"m","params":"${MUCH}","x":",\\"id\\":5}"}`, null],
  [`{"method":"m","params":"${MUCH}","id":1.5}`, null],
  [`{"method":"m","params":"${MUCH}","id":"\\u0041"}`, null],
  [`[{"method":"m","params":"${MUCH}","id":5}]`, null],
  [MUCH, null],
])('the id of %.40s is %j, however the line comes', (line, id) => {
  for (const size of [1000, 4096, 100_000]) {
    let kept: Buffer[] = [Buffer.from(line.slice(0, 9000))]
    for (let at = 9000; at < line.length; at += size) kept = endsOf([...kept, Buffer.from(line.slice(at, at + size))])
    expect(idAtEnds(kept)).toBe(id)
  }
})
