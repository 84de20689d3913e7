import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** What a program says: a promise that it said something, and one of all of it. */
export const outputOf = (stdout: Readable) => {
  const begun = Promise.withResolvers<void>()
  let said = ''
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    begun.resolve()
  })
  const all = once(stdout, 'end').then(() => {
    begun.resolve()
    return said
  })
  return { begun: begun.promise, all }
}
