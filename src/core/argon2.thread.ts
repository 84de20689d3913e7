/** Computes each hash that is requested. */
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { constants, getPriority, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** Hashing takes long, so it gives way to answering requests: of a core that both compete for, it gets a tenth. */
const addedNiceness = 10

/** On Linux a priority applies to the thread alone, elsewhere to the whole process. */
const lowerPriority = () => {
  if (platform() !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + addedNiceness))
  } catch {
    // A system call filter (seccomp) forbids it: hashing and answering share the core equally.
  }
}

lowerPriority()
parentPort?.on('message', (parameters: Argon2Parameters) => {
  parentPort?.postMessage(argon2Sync('argon2id', parameters))
})
