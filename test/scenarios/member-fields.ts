import { without } from '../people.ts'
import type { Body, Row } from './table.ts'

/** A valid e-mail address of the given length. */
export const email = (length: number): string =>
  `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(length - 247)}.jp`

export const invalid = {
  status: 400,
  code: '7001',
  message: 'Validation error occurred on item in the request body.',
}
export const format = { status: 400, code: '7003', message: 'Request body format error occurred.' }

export const required = ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress']

const invalidValues: readonly (readonly [what: string, fields: Body, detail: string])[] = [
  ['an empty firstName', { firstName: '' }, 'firstName Size'],
  ['an empty lastName', { lastName: '' }, 'lastName Size'],
  ['a firstName of 129 characters', { firstName: 'x'.repeat(129) }, 'firstName Size'],
  ['a lastName of 129 code points', { lastName: '🐈'.repeat(129) }, 'lastName Size'],
  ['a genderCode outside the code list', { genderCode: '3' }, 'genderCode ExistInCodeList'],
  ['an empty genderCode', { genderCode: '' }, 'genderCode ExistInCodeList'],
  ['a dateOfBirth in the future', { dateOfBirth: '2999-12-31' }, 'dateOfBirth Past'],
  ['an e-mail address without an @', { emailAddress: 'nobody' }, 'emailAddress Email'],
  ['an empty e-mail address', { emailAddress: '' }, 'emailAddress Size'],
  ['an e-mail address of 257 characters', { emailAddress: email(257) }, 'emailAddress Size'],
  ['a telephone number of 21 characters', { telephoneNumber: '1'.repeat(21) }, 'telephoneNumber Size'],
  ['a zip code of 21 characters', { zipCode: '1'.repeat(21) }, 'zipCode Size'],
  ['an address of 257 code points', { address: '京'.repeat(257) }, 'address Size'],
  ['a control character in a name', { firstName: 'a\u0001b' }, 'firstName Pattern'],
  ['a control character in an address', { address: 'a\u001fb' }, 'address Pattern'],
]

const unreadableValues: readonly (readonly [what: string, fields: Body, target: string])[] = [
  ...['yesterday', '', '2001-02-29'].map(
    (date) => [`'${date}' as dateOfBirth`, { dateOfBirth: date }, 'dateOfBirth'] as const,
  ),
  ['a number as genderCode', { genderCode: 1 }, 'genderCode'],
  ['a number as firstName', { firstName: 1 }, 'firstName'],
  ['a string as credential', { credential: 'secret' }, 'credential'],
  ['an unknown field', { nickname: 'Jo' }, 'nickname'],
  ['the internal version field', { version: 1 }, 'version'],
]

/** A row for each invalid value. `line` is a request that takes all fields, and `valid` is a body for it. */
export const refusedFields = (line: string, valid: () => Body): Row[] => {
  const [method] = line.split(' ')
  const refused = (what: string, body: Body, promised: Omit<Row, 'name' | 'request'>): Row => ({
    name: `${method} of a member refuses ${what}`,
    request: line,
    body,
    ...promised,
  })
  return [
    ...required.flatMap((name) => {
      const missing = { ...invalid, details: [`${name} NotNull`] }
      return [
        refused(`a null ${name}`, { ...valid(), [name]: null }, missing),
        refused(`an absent ${name}`, without(valid(), name), missing),
      ]
    }),
    ...invalidValues.map(([what, fields, detail]) =>
      refused(what, { ...valid(), ...fields }, { ...invalid, details: [detail] }),
    ),
    ...unreadableValues.map(([what, fields, target]) =>
      refused(what, { ...valid(), ...fields }, { ...format, targets: [target] }),
    ),
  ]
}
