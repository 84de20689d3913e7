import { CodeList, Day, Nullable, Reference, refusal, resource, Text, Unique } from '#src/resource.ts'

/** The resource of docs/resources.md. */
export const loan = resource({
  name: 'loan',
  fields: {
    memberId: Reference('member'),
    title: Text(1, 60),
    shelf: Nullable(Unique(Text(1, 20))),
    due: Day,
    kind: CodeList('CL_LOAN', ['book', 'tool']),
    returnedOn: Nullable(Day),
  },
  rules: {
    create(loan) {
      if (loan.due < '2000-01-01')
        throw refusal({ target: 'due', code: 'Past', message: '"due" is long past.' })
      return loan
    },
    update(loan, before) {
      if (before.returnedOn !== null && loan.returnedOn !== null)
        throw refusal({ code: 'e.loan.8001', message: 'It was returned already.' })
      return loan
    },
    delete(loan) {
      if (loan.title === 'faulty rule') throw new Error('This rule has a fault.')
    },
  },
  actions: {
    returned: {
      summary: 'Return a loan',
      does: (loan, { now }) => ({ ...loan, returnedOn: new Date(now).toISOString().slice(0, 10) }),
    },
  },
  words: {
    en: { loan: ['Loan', 'Loans'], returnedOn: 'Returned on' },
    ja: {
      loan: ['貸出', '貸出'],
      title: '題名',
      due: '期限',
      kind: '種類',
      shelf: '棚',
      returnedOn: '返却日',
    },
  },
})

/** A resource whose fields have reserved words of SQL as names, and the types that loans lack. */
export const order = resource({
  name: 'order',
  plural: 'group',
  fields: {
    select: Text(0, 20),
    from: Nullable(Text(0, 300)),
  },
})
