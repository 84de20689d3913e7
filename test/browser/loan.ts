import type { TestContext } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import {
  CodeList,
  Day,
  Flag,
  Nullable,
  Reference,
  refusal,
  resource,
  Starting,
  Text,
  Unique,
  UtcTimestamp,
  Whole,
} from '#src/resource.ts'
import { request, startApp } from '#test/harness.ts'
import { people } from '#test/people.ts'
import { openPage } from './browser.ts'

/** A resource with almost every kind of field. */
export const loan = resource({
  name: 'loan',
  fields: {
    memberId: Reference('member'),
    title: Text(1, 60),
    shelf: Nullable(Unique(Text(1, 20))),
    due: Day,
    kind: CodeList('CL_LOAN', ['book', 'tool', 'game', 'map', 'film']),
    copies: Starting(1, Whole(1, 99)),
    fragile: Starting(false, Flag),
    handedOutAt: Nullable(UtcTimestamp),
  },
  rules: {
    create(loan) {
      if (loan.due >= '2000-01-01') return loan
      throw refusal({ target: 'due', code: 'Past', message: '"due" is long past.' })
    },
  },
  actions: {
    giveBack: { summary: 'Give a loan back', does: (loan) => ({ ...loan, shelf: null, fragile: true }) },
  },
  words: {
    en: {
      loan: ['Loan', 'Loans'],
      memberId: 'Borrower',
      shelf: ['Shelf', 'Where it belongs.'],
      giveBack: 'Give back',
      'kind.book': 'Bound book',
    },
    ja: {
      loan: ['貸出', '貸出'],
      memberId: '借りた人',
      title: '品名',
      shelf: '棚',
      due: '返却期限',
      kind: '種類',
      copies: '冊数',
      fragile: '壊れ物',
      handedOutAt: '貸出日時',
      giveBack: '返却する',
    },
  },
})

/** Starts a service with members and a loan of each title, and opens the console at this place. */
export const openLoans = async (
  t: TestContext,
  place: string,
  { titles = [], ...options }: BrowserContextOptions & { readonly titles?: readonly string[] } = {},
) => {
  const { url, management } = await startApp(t, {}, { resources: [loan] })
  // The repository's OpenAPI document has no loans, so answers are not checked against it.
  const api = (line: string, body?: unknown, headers = {}) =>
    request(url, line.replace(' ', ' /api/v1'), { body, headers })
  const members: string[] = []
  for (const person of people.slice(0, 3))
    members.push(((await api('POST /members', person)).body as { memberId: string }).memberId)
  const loans: string[] = []
  for (const [index, title] of titles.entries()) {
    const { body } = await api('POST /loans', {
      memberId: members[index % 3],
      title,
      due: `2026-12-${10 + index}`,
      kind: index % 2 === 0 ? 'book' : 'tool',
      ...(index === 0 && { shelf: 'A1' }),
    })
    loans.push((body as { loanId: string }).loanId)
  }
  const page = await openPage(t, `${management}/#/${place}`, options)
  return { api, management, page, members, loans }
}
