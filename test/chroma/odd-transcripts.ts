/** Transcripts as hands, editors and crashes leave them in a folder, by what is odd about them. */
export const METADATA = '{"key":"s","createdAt":"2026-01-01T00:00:00.000Z"}\n'

export const ODD_TRANSCRIPTS: Readonly<Record<string, Uint8Array>> = {
  empty: Buffer.from(''),
  'metadata alone': Buffer.from(METADATA),
  'metadata without its end': Buffer.from(METADATA.trimEnd()),
  'a torn line': Buffer.from(`${METADATA}{"n":1}\n{"n":`),
  'a last line without its end': Buffer.from(`${METADATA}{"n":1}\n{"n":2}`),
  'no metadata': Buffer.from('{"n":1}\n{"n":2}\n'),
  'a mark at its beginning': Buffer.from(`\ufeff${METADATA}{"n":1}\n`),
  'a mark and no metadata': Buffer.from('\ufeff{"type":"turn"}\n{"n":2}\n'),
  'no UTF-8': Buffer.concat([Buffer.from(METADATA), Uint8Array.of(0xff, 0x0a), Buffer.from('{"n":1}\n')]),
  'zero bytes': Buffer.from(`${METADATA}\0\0\n{"n":1}\n`),
  'broken lines': Buffer.from(`${METADATA}oops\n\n{"n":1}\r\n[1]\n`),
  'a line end alone': Buffer.from('\n'),
  'many short lines': Buffer.from(METADATA + '{"n":1}\n'.repeat(12_000)),
  'a line longer than a record': Buffer.from(`${METADATA}{"text":"${'x'.repeat(100_000)}"}\n{"n":1}\n`),
}
