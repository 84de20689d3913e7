import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writesOf } from './usage.ts'

/** A program that generates load. Its first output means that it has begun; its output is complete when it ends. */
export const loaderOf = (child: ChildProcess) => {
  if (!child.stdout) throw new Error('the load has no output')
  const started = Promise.withResolvers<void>()
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    started.resolve()
  })
  const output = once(child.stdout, 'end').then(() => {
    started.resolve()
    return text
  })
  return {
    started: started.promise,
    output,
    /** Each request is a write of its own. */
    sent: () => writesOf(child.pid ?? 0),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    interrupt: () => void child.kill('SIGINT'),
    /** Even while it is paused. */
    kill: () => void child.kill('SIGKILL'),
  }
}
