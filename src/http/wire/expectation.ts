import { Problem } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'
import { splitList } from './list-field.ts'

/** Refuses an expectation that this service does not meet. Call it after routing, so that an unknown path stays a 404. */
export const requireKnownExpectation = ({ awaitsContinue, incoming }: Exchange) => {
  if (awaitsContinue && expectationOf(incoming.headers.expect) === 'other')
    throw new Problem('expectationFailed')
}

/** Classifies the Expect field: nothing, 100 Continue, or an expectation that this service does not meet. */
export const expectationOf = (expect = ''): 'nothing' | 'continue' | 'other' => {
  // An empty element of a list does not count (RFC 9110, 5.6.1).
  const expected = splitList(expect)
    .map((element) => element.trim().toLowerCase())
    .filter((element) => element !== '')
  if (expected.length === 0) return 'nothing'
  return expected.every((element) => element === '100-continue') ? 'continue' : 'other'
}
