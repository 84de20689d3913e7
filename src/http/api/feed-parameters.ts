import { notOneOf } from '#core/problem.ts'
import { pagingParameters } from './paging.ts'
import {
  idParameter,
  instantParameter,
  integerParameter,
  type Parameter,
  readOnce,
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
    'A cursor: the answer begins after it. A cursor from an answer of this path is valid only with the same filter, one from `Change-Cursor` with any. `latest` begins with the next change. Without `after`, the answer begins with the oldest change that is kept.',
  read: readOnce((value) => ({ value })),
}

const beforeParameter: Parameter<string> = {
  schema: afterParameter.schema,
  description:
    'A cursor, or `latest`: the answer has the changes before it, newest first. Its `cursor` is the value of `before` for the next request. It cannot be combined with `after`. With it, `wait` has no effect; a stream ignores it.',
  read: afterParameter.read,
}

const typesParameter = (types: readonly string[]): Parameter<readonly string[]> => ({
  schema: { type: 'array', items: { type: 'string', enum: typeNames(types) }, maxItems: 64 },
  description:
    'Only changes of these types; repeatable, or separated by commas. `member.*` stands for all types of members.',
  read(texts, target) {
    const names = texts.flatMap((text) => text.split(','))
    return names.every((name) => typeNames(types).includes(name))
      ? { value: resolveTypes(names, types) }
      : { refusal: notOneOf(target, typeNames(types)) }
  },
})

/** The types, and after them one name for all types of each resource. */
export const typeNames = (types: readonly string[]): readonly string[] => [
  ...types,
  ...new Set(types.map((type) => wildcardOf(type))),
]

export const resolveTypes = (names: readonly string[], types: readonly string[]): readonly string[] =>
  types.filter((type) => names.includes(type) || names.includes(wildcardOf(type))).sort()

const wildcardOf = (type: string) => type.replace(/\.\w+$/, '.*')
