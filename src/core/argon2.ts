import type { Argon2Parameters } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const program = new URL('./argon2.thread.ts', import.meta.url)

/** Threads that each compute one hash at a time. They keep no state, so all hashers share them. */
const idle: Worker[] = []

/** As in `node:crypto`, without occupying one of the four threads that files and compression use. */
export const argon2id = async (parameters: Argon2Parameters): Promise<Buffer> => {
  const thread = idle.pop() ?? new Worker(program, { execArgv: [] })
  // A thread that nobody waits for does not keep the process alive.
  thread.ref()
  thread.postMessage(parameters)
  const [tag] = (await once(thread, 'message')) as [Uint8Array]
  thread.unref()
  idle.push(thread)
  return Buffer.from(tag)
}
