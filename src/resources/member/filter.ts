import { parametersInvalid } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import {
  choiceParameter,
  comparing,
  dateParameter,
  dayParameter,
  type FilterValues,
  instantParameter,
  matchParameter,
  textParameter,
} from '#http/api/query.ts'
import { type Conditions, fieldConditions } from '#resources/machine/filters.ts'
import { maxSignIdLength } from './sign-id.ts'

const nameLength = 128
const keyFields = ['emailAddress', 'credential', 'telephoneNumber']

/** The filters by fields of the specification; `lists` turns them into SQL. A caller may use those whose fields it may see. */
export const memberFilters = (timeZone: string) => {
  const instants = (field: string, what: string) =>
    [
      comparing([field], instantParameter(`${what} at this time or later.`, timeZone)),
      comparing([field], instantParameter(`${what} before this time.`, timeZone)),
    ] as const
  const [createdFrom, createdTo] = instants('createdAt', 'Created')
  const [modifiedFrom, modifiedTo] = instants('lastModifiedAt', 'Last modified')
  const sought = (field: string, what: string, max: number) =>
    comparing([field], matchParameter(`${what} Case and character width are ignored.`, max))
  return {
    name: comparing(
      ['firstName', 'lastName'],
      textParameter(
        'Members whose name contains this text, with the first or the last name first. Case, width and accents are ignored.',
        nameLength,
      ),
    ),
    q: comparing(
      ['firstName', 'lastName', ...keyFields],
      textParameter(
        'Members of whom each word of this text is in the name, in the e-mail address or, by its digits, in the telephone number (from three characters), or begins the sign id or a unique field. Case, width and accents are ignored; `mueller` finds Müller, and `oneill` O’Neill.',
        nameLength,
      ),
    ),
    emailAddress: sought('emailAddress', 'Members with this e-mail address.', 256),
    signId: sought('credential', 'The member who signs in with this sign id.', maxSignIdLength),
    telephoneNumber: sought('telephoneNumber', 'Members with this telephone number.', 20),
    genderCode: comparing(['genderCode'], choiceParameter('Members with this gender code.', ['0', '1', '2'])),
    role: comparing(
      ['credential'],
      choiceParameter('Members with this role. All others have the role `member`.', [
        'administrator',
        'suspended',
      ]),
    ),
    withoutPassword: comparing(
      ['credential'],
      choiceParameter('Members that cannot come in yet, because they have no password.', ['true']),
    ),
    bornFrom: comparing(['dateOfBirth'], dateParameter('Born on this day or later.')),
    bornTo: comparing(['dateOfBirth'], dateParameter('Born before this day.')),
    birthdayFrom: comparing(
      ['dateOfBirth'],
      dayParameter('Whose birthday is on this day of the year (MM-dd) or later.'),
    ),
    birthdayTo: comparing(
      ['dateOfBirth'],
      dayParameter(
        'Whose birthday is before this day of the year. One before `birthdayFrom` means that of the next year. 29 February comes between 28 February and 1 March in every year.',
      ),
    ),
    createdFrom,
    createdTo,
    modifiedFrom,
    modifiedTo,
  }
}

/** The filters by added fields. No index serves them. */
export const addedConditions = (fields: Fields, timeZone: string): Conditions =>
  fieldConditions({ name: 'member', fields }, {}, timeZone)

export type MemberFilter = Partial<FilterValues<ReturnType<typeof memberFilters>>>

type Name = keyof MemberFilter

const texts: readonly Name[] = ['name', 'emailAddress', 'signId', 'telephoneNumber']

/** Groups of filters that find many members. One index serves the filters of a group, but none serves two groups. */
const groups: readonly (readonly Name[])[] = [
  texts,
  ['bornFrom', 'bornTo'],
  ['birthdayFrom', 'birthdayTo'],
  ['createdFrom', 'createdTo'],
  ['modifiedFrom', 'modifiedTo'],
]

/** Values that few members have. */
const rareFilters = ['role', 'withoutPassword'] as const

/** Refuses a combination of filters that no index serves. `q` combines with all others; a complete key or a role, which few members have, with more. */
export const requireServed = (filter: MemberFilter) => {
  const { emailAddress, signId, telephoneNumber } = filter
  const rare = rareFilters.find((name) => filter[name] !== undefined)
  const isFew = [emailAddress, signId, telephoneNumber].some((one) => one?.isBeginning === false)
  if (isFew && rare === undefined) return
  const [first, second] = (rare === undefined ? groups : [[rare], texts])
    .map((group) => group.find((name) => filter[name] !== undefined))
    .filter((name) => name !== undefined)
  if (first === undefined || second === undefined) return
  const args = { other: first }
  throw parametersInvalid([{ code: 'Pattern', wording: 'Pattern.beside', target: second, args }])
}
