import { parametersInvalid } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import {
  choiceParameter,
  dateParameter,
  dayParameter,
  type FilterValues,
  instantParameter,
  matchParameter,
  textParameter,
  withComparedFields,
} from '#http/api/query.ts'
import { type Conditions, fieldConditions } from '#resources/machine/filters.ts'
import { maxSignIdLength } from './sign-id.ts'

const nameLength = 128

/** The filters by the fields of the specification; `lists` makes SQL of them. Callers may filter only by fields that they may see. */
export const memberFilters = (timeZone: string) => {
  const instantFilters = (field: string, what: string) =>
    [
      withComparedFields([field], instantParameter(`${what} at this time or later.`, timeZone)),
      withComparedFields([field], instantParameter(`${what} before this time.`, timeZone)),
    ] as const
  const [createdFrom, createdTo] = instantFilters('createdAt', 'Created')
  const [modifiedFrom, modifiedTo] = instantFilters('lastModifiedAt', 'Last modified')
  const matchingFilter = (field: string, what: string, max: number) =>
    withComparedFields([field], matchParameter(`${what} Case and character width are ignored.`, max))
  return {
    name: withComparedFields(
      ['firstName', 'lastName'],
      textParameter(
        'Members whose name contains this text, with the first or the last name first. Case, width and accents are ignored.',
        nameLength,
      ),
    ),
    q: withComparedFields(
      ['firstName', 'lastName', 'emailAddress', 'credential', 'telephoneNumber'],
      textParameter(
        'Members that match each word of this text. A word matches if the name contains it, if the sign id or a unique field begins with it, or, from three characters on, if the e-mail address contains it or the telephone number contains its digits. Case, width and accents are ignored; `mueller` finds Müller, and `oneill` finds O’Neill.',
        nameLength,
      ),
    ),
    emailAddress: matchingFilter('emailAddress', 'Members with this e-mail address.', 256),
    signId: matchingFilter('credential', 'The member who signs in with this sign id.', maxSignIdLength),
    telephoneNumber: matchingFilter('telephoneNumber', 'Members with this telephone number.', 20),
    genderCode: withComparedFields(
      ['genderCode'],
      choiceParameter('Members with this gender code.', ['0', '1', '2']),
    ),
    role: withComparedFields(
      ['credential'],
      choiceParameter('Members with this role. All others have the role `member`.', [
        'administrator',
        'suspended',
      ]),
    ),
    withoutPassword: withComparedFields(
      ['credential'],
      choiceParameter('Members that cannot sign in yet, because they have no password.', ['true']),
    ),
    bornFrom: withComparedFields(['dateOfBirth'], dateParameter('Members born on this day or later.')),
    bornTo: withComparedFields(['dateOfBirth'], dateParameter('Members born before this day.')),
    birthdayFrom: withComparedFields(
      ['dateOfBirth'],
      dayParameter('Members whose birthday is on this day of the year (MM-dd) or later.'),
    ),
    birthdayTo: withComparedFields(
      ['dateOfBirth'],
      dayParameter(
        'Members whose birthday is before this day of the year (MM-dd). If this day is before `birthdayFrom`, the range ends in the next year. 29 February comes between 28 February and 1 March in every year.',
      ),
    ),
    createdFrom,
    createdTo,
    modifiedFrom,
    modifiedTo,
  }
}

/** The filters by added fields, which are not indexed. */
export const addedFieldConditions = (fields: Fields, timeZone: string): Conditions =>
  fieldConditions({ name: 'member', fields }, {}, timeZone)

export type MemberFilter = Partial<FilterValues<ReturnType<typeof memberFilters>>>

type Name = keyof MemberFilter

const textFilters: readonly Name[] = ['name', 'emailAddress', 'signId', 'telephoneNumber']

/** Groups of filters that may match many members. Each group has an index, but no index covers two groups. */
const filterGroups: readonly (readonly Name[])[] = [
  textFilters,
  ['bornFrom', 'bornTo'],
  ['birthdayFrom', 'birthdayTo'],
  ['createdFrom', 'createdTo'],
  ['modifiedFrom', 'modifiedTo'],
]

/** Filters that match few members. */
const selectiveFilters = ['role', 'withoutPassword'] as const

/**
 * Refuses a combination of filters without an index. `q` can be combined with every filter, and so can a complete e-mail address,
 * sign id or telephone number, because it matches few members. A selective filter can be combined with all except text filters.
 */
export const requireIndexed = (filter: MemberFilter) => {
  const { emailAddress, signId, telephoneNumber } = filter
  const selectiveFilter = selectiveFilters.find((name) => filter[name] !== undefined)
  const hasCompleteKey = [emailAddress, signId, telephoneNumber].some((one) => one?.isPrefix === false)
  if (hasCompleteKey && selectiveFilter === undefined) return
  const [first, second] = (selectiveFilter === undefined ? filterGroups : [[selectiveFilter], textFilters])
    .map((group) => group.find((name) => filter[name] !== undefined))
    .filter((name) => name !== undefined)
  if (first === undefined || second === undefined) return
  const args = { other: first }
  throw parametersInvalid([{ code: 'Pattern', wording: 'Pattern.beside', target: second, args }])
}
