import { notOneOf } from '#core/problem.ts'
import { pagingParameters } from './paging.ts'
import {
  givenOnce,
  idParameter,
  instantParameter,
  integerParameter,
  type Parameter,
  textParameter,
} from './query.ts'

const maxWaitSeconds = 60
const maxAuthorLength = 8_192

export const feedParameters = (types: readonly string[], timeZone: string) => ({
  after: afterParameter,
  before: beforeParameter,
  size: pagingParameters([]).size,
  wait: integerParameter('How many seconds an empty answer may wait for the next change.', {
    minimum: 0,
    maximum: maxWaitSeconds,
    default: 0,
  }),
  types: typesParameter(types),
  id: idParameter('Only changes of the record with this identifier.'),
  by: textParameter('Only changes that this caller made, as `by` of a change names it.', maxAuthorLength),
  timeFrom: instantParameter('Only changes made at this time or later.', timeZone),
  timeTo: instantParameter('Only changes made before this time.', timeZone),
})

const afterParameter: Parameter<string> = {
  schema: { type: 'string', maxLength: 1024, pattern: '^[A-Za-z0-9_-]+$' },
  description:
    'A cursor: the answer begins after it. It is valid for the filter that it was given for; one from `Change-Cursor` for any. `latest` begins with the next change. Without it, the answer begins with the oldest change that is kept.',
  read: givenOnce((value) => ({ value })),
}

const beforeParameter: Parameter<string> = {
  schema: afterParameter.schema,
  description:
    'A cursor, or `latest`: the answer goes back from there, newest first, and its `cursor` is the `before` of the next. Not together with `after`; nothing waits, and a stream ignores it.',
  read: afterParameter.read,
}

const typesParameter = (known: readonly string[]): Parameter<readonly string[]> => ({
  schema: { type: 'array', items: { type: 'string', enum: namesOf(known) }, maxItems: 64 },
  description:
    'Only changes of these types; repeatable, or separated by commas. `member.*` stands for all of members.',
  read(texts, target) {
    const names = texts.flatMap((text) => text.split(','))
    return names.every((name) => namesOf(known).includes(name))
      ? { value: typesNamed(names, known) }
      : { refused: notOneOf(target, namesOf(known)) }
  },
})

/** The types, and after them one name for all types of each resource. */
export const namesOf = (types: readonly string[]): readonly string[] => [
  ...types,
  ...new Set(types.map((type) => allOf(type))),
]

export const typesNamed = (names: readonly string[], known: readonly string[]): readonly string[] =>
  known.filter((type) => names.includes(type) || names.includes(allOf(type))).sort()

const allOf = (type: string) => type.replace(/\.\w+$/, '.*')
