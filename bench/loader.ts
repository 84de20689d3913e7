import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writesOf } from './usage.ts'

/** A program that makes a load: it has begun when it says something, and has said all when it ends. */
export const loaderOf = (child: ChildProcess) => {
  if (!child.stdout) throw new Error('the load has no output')
  const begun = Promise.withResolvers<void>()
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    begun.resolve()
  })
  const said = once(child.stdout, 'end').then(() => {
    begun.resolve()
    return text
  })
  return {
    begun: begun.promise,
    said,
    /** Each request leaves by a write of its own. */
    sent: () => writesOf(child.pid ?? 0),
    pause: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    interrupt: () => void child.kill('SIGINT'),
    /** Also where it pauses. */
    kill: () => void child.kill('SIGKILL'),
  }
}
