import { Problem } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'
import { splitList } from './list-field.ts'

/** Refuses what waits for something that nobody here does; asked only where there is a place to be refused at. */
export const requireMet = ({ awaitsContinue, incoming }: Exchange) => {
  if (awaitsContinue && expectationOf(incoming.headers.expect) === 'other')
    throw new Problem('expectationFailed')
}

/** What a client waits for before it sends its body: nothing, a word that it may, or what nobody here does. */
export const expectationOf = (expect = ''): 'nothing' | 'continue' | 'other' => {
  // An empty member of a list is none (RFC 9110, 5.6.1).
  const expected = splitList(expect)
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '')
  if (expected.length === 0) return 'nothing'
  return expected.every((member) => member === '100-continue') ? 'continue' : 'other'
}
