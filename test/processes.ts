import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

const exitTasks = new Set<() => void>()

/** Makes sure that the program does not outlive us. */
export const killedOnExit = <Child extends ChildProcess>(child: Child): Child =>
  child.once(
    'exit',
    onExit(() => void child.kill('SIGKILL')),
  )

/** Runs `work` when this program ends, even if it is interrupted; the latest first. Returns a function that cancels it. */
export const onExit = (work: () => void): (() => void) => {
  exitTasks.add(work)
  return () => void exitTasks.delete(work)
}

process.once('exit', () => {
  for (const work of [...exitTasks].toReversed()) work()
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

export const childrenOf = (pid: number | undefined) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((one) => one !== '')
    .map(Number)
