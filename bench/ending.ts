import type { ChildProcess } from 'node:child_process'

const works = new Set<() => void>()

/** Makes sure that the program does not outlive us. */
export const withUs = <Child extends ChildProcess>(child: Child): Child =>
  child.once(
    'exit',
    atTheEnd(() => void child.kill('SIGKILL')),
  )

/** Runs `work` when this program ends, even if it is interrupted; the latest first. Returns a function that cancels it. */
export const atTheEnd = (work: () => void): (() => void) => {
  works.add(work)
  return () => void works.delete(work)
}

process.once('exit', () => {
  for (const work of [...works].toReversed()) work()
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
