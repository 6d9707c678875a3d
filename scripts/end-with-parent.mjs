// Loaded into Chroma's server before its own program (`node --import`): ends it when whoever started it is gone, however that went.
// Its program holds the main thread and hears no signals, so a thread waits for the end of the input, which the starter holds open.
import fs from 'node:fs'
import { isMainThread, Worker } from 'node:worker_threads'

if (isMainThread) new Worker(new URL(import.meta.url)).unref()
else {
  while (fs.readSync(0, Buffer.alloc(1)) > 0);
  process.kill(process.pid, 'SIGKILL')
}
