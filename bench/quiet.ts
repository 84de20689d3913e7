import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { machineBusyMs } from './usage.ts'

const watchedMs = 500

/** The share of all cores that other programs take now. */
export const takenByOthers = async () => {
  const before = machineBusyMs()
  await sleep(watchedMs)
  return (machineBusyMs() - before) / watchedMs / cpus().length
}
