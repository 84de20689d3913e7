/** Computes each hash that it is asked for. */
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** Hashing takes long, so it gives way to answering: of a core that both want it gets a tenth. */
const behind = 10

/** On Linux this is of the thread alone, elsewhere of the whole process. */
const standBehind = () => {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + behind))
  } catch {
    // A filter of system calls forbids it: they share a core as equals.
  }
}

standBehind()
parentPort?.on('message', (parameters: Argon2Parameters) => {
  parentPort?.postMessage(argon2Sync('argon2id', parameters))
})
