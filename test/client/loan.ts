import {
  CodeList,
  Day,
  extend,
  Flag,
  Nullable,
  Reference,
  resource,
  Starting,
  Text,
  UtcTimestamp,
  Whole,
} from '#src/resource.ts'

export const loan = resource({
  name: 'loan',
  fields: {
    memberId: Reference('member'),
    title: Text(1, 60),
    due: Day,
    kind: CodeList('CL_LOAN', ['book', 'tool']),
    copies: Starting(1, Whole(1, 9)),
    isUrgent: Starting(false, Flag),
    returnedAt: Nullable(UtcTimestamp),
  },
  actions: {
    giveBack: { summary: 'Give a loan back', does: (loan, { now }) => ({ ...loan, returnedAt: now }) },
  },
})

/** A resource whose plural is not its name with an s, and which has no text to search. */
export const shelf = resource({ name: 'shelf', plural: 'shelves', fields: { floor: Whole(0, 9) } })

export const member = extend('member', { fields: { department: Nullable(Text(0, 64)) } })
