import type { ChildProcess } from 'node:child_process'

const works = new Set<() => void>()

/** A program that does not outlive us. */
export const withUs = <Child extends ChildProcess>(child: Child): Child =>
  child.once(
    'exit',
    atTheEnd(() => void child.kill('SIGKILL')),
  )

/** Done when this program ends, also where somebody breaks it off; what was begun last first. Tells how to take it back. */
export const atTheEnd = (work: () => void): (() => void) => {
  works.add(work)
  return () => void works.delete(work)
}

process.once('exit', () => {
  for (const work of [...works].toReversed()) work()
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
