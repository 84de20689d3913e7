import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extend, resource } from '#resources/declaration.ts'
import { assembleResources } from '#resources/index.ts'
import { CodeList, Day, Flag, Nullable, Reference, Starting, Text, Unique, Whole } from '#src/resource.ts'
import { DeclarationError } from './validity.ts'

const title = Text(1, 60)

const loan = (more: object, name = 'loan') =>
  resource({ name, fields: { title }, ...more } as Parameters<typeof resource>[0])

const fields = (declaredFields: object) => loan({ fields: declaredFields })

const letters = 'must be letters and digits, beginning with a small letter'
const reserved = 'has the name of a field or parameter that every resource already has'
const taken = 'has the name of a path, a client method or a command that every resource already has'
const action = { summary: '', does: (one: unknown) => one }

/** A faulty field of a loan, and the message of the refusal. */
const faultyFields: readonly (readonly [field: string, schema: unknown, says: string, beside?: object])[] = [
  ['1st', title, letters],
  ['a"b', title, letters],
  ['xmlName', title, 'begins with "xml", which XML reserves'],
  ['a'.repeat(29), title, 'is longer than 28 characters as the name of a table or column'],
  ['constructor', title, 'is a name that every JavaScript object has'],
  ['loanId', title, reserved],
  ['createdAt', title, reserved],
  ['sort', title, reserved],
  ['title', 'text', 'has no kind: give it one, such as Text(1, 60)'],
  ['kind', CodeList('CL_LOAN', []), 'has a code list without codes'],
  ['kind', CodeList('CL_LOAN', ['a', 'a']), 'has a code list with a code twice'],
  ['kind', CodeList('CL_KIND', [1, 2] as unknown as string[]), 'has a code that is not a text, or is empty'],
  ['title', Text(9, 1), 'has a minimum length above its maximum'],
  ['title', Text(-1, 1), 'has a minimum length below 0'],
  [
    'title',
    Text(60, undefined as unknown as number),
    'needs whole numbers as limits, as in Text(1, 60) or Whole(0)',
  ],
  ['count', Whole(9, 1), 'has a minimum above its maximum'],
  ['count', Starting(9, Whole(1, 5)), 'cannot start with 9, which it would refuse'],
  ['isLate', Unique(Flag), 'is a Flag, which cannot be Unique'],
  [
    'shelf',
    Unique(Starting('A', title)),
    'is Unique, so it cannot have a starting value, which would be the same in two records',
  ],
  [
    'parentId',
    Reference('loan'),
    'must be Nullable, because the first record has no other record to refer to',
  ],
  ['dueFrom', title, 'has the name of a filter by "due"', { due: Day }],
  ['noteIsNull', Flag, 'has the name of a filter by "note"', { note: Nullable(title) }],
  [
    'memberId',
    Reference('member', { onDelete: 'delete' as 'refuse' }),
    'has the onDelete "delete", which is not one of refuse, cascade',
  ],
]

/** Makes another faulty declaration, and gives the message of the refusal. */
const others: readonly (readonly [make: () => unknown, says: string, name?: string])[] = [
  [() => assembleResources([loan({}), loan({})]), 'another resource has this name'],
  [
    () => assembleResources([loan({}), loan({ plural: 'loans' }, 'cargo')]),
    'another resource has this name',
    'cargo',
  ],
  [() => loan({}, 'member'), 'the service itself uses this name', 'member'],
  [() => loan({}, 'batch'), 'the service itself uses this name', 'batch'],
  [() => loan({}, 'backup'), 'the command line already has a command of this name', 'backup'],
  [() => loan({ plural: 'members' }, 'person'), 'the service itself has the path /members', 'person'],
  [() => loan({ plural: 'sheep' }, 'sheep'), 'its plural must differ from its name', 'sheep'],
  [() => loan({}, 'Loan'), `its name ${letters}`, 'Loan'],
  [() => loan({}, 'my loan'), `its name ${letters}`, 'my loan'],
  [() => loan({}, ''), `its name ${letters}`, ''],
  [() => loan({ plural: 'lo"ans' }), `its plural ${letters}`],
  [() => fields({}), 'it has no fields'],
  [
    () => fields(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`f${at}`, title]))),
    'it has 501 fields, and a table has room for 500',
  ],
  [() => loan({ access: { member: 'read' } }), "its access must look like { member: ['read'] }"],
  [
    () => loan({ words: { en: { title: 5 } } }),
    'its word "title" must be a text, or a list of texts, and the first must not be empty',
  ],
  [
    () => loan({ headings: { titel: { names: 'x' } } }),
    'its headings must look like { field: { names: \'one, another\' } }, but "titel" does not',
  ],
  [
    () => assembleResources([fields({ carId: Reference('car') })]),
    'the field "carId" refers to "car", which is not declared',
  ],
  [
    () =>
      assembleResources([
        fields({ aId: Reference('cargo') }),
        loan({ fields: { bId: Reference('loan') } }, 'cargo'),
      ]),
    'it and "cargo" refer to one another in a circle, so no first record could be created: make one of these references Nullable',
  ],
  [() => loan({ actions: { history: action } }), `the action "history" ${taken}`],
  [() => loan({ actions: { add: action } }), `the action "add" ${taken}`],
  [
    () => loan({ actions: { go: action.does } }),
    `the action "go" must look like { summary: 'Return it', does: (record) => ({ ...record }) }`,
  ],
  [
    () => loan({ words: { en: { titel: '' } } }),
    'its words for "en" include "titel", which is not one of its fields, actions or codes',
  ],
  [
    () => loan({ fields: { kind: CodeList('CL_KIND', ['book']) }, words: { en: { 'kind.film': 'Film' } } }),
    'its words for "en" include "kind.film", which is not one of its fields, actions or codes',
  ],
  [() => loan({ words: { fr: {} } }), 'its words name the language "fr", which is not one of en, ja'],
  [
    () => loan({ hooks: {} }),
    'it has "hooks", which is not one of name, plural, fields, access, rules, actions, words, migrations, headings',
  ],
  [
    () => loan({ rules: { insert: () => ({}) } }),
    'it has the rule "insert", which is not one of create, update, delete',
  ],
  [() => loan({ rules: { create: {} } }), 'its rule "create" is not a function'],
  [
    () => loan({ access: { member: ['write'] } }),
    'its access gives "write", which is not one of read, create, update, delete',
  ],
  [() => loan({ access: { members: ['read'] } }), 'its access names "members", which is not one of member'],
  [
    () => extend('member', { fields: { note: Nullable(title) }, rules: {} } as Parameters<typeof extend>[1]),
    'it has "rules", which is not one of name, fields, words',
    'member',
  ],
  [
    () => extend('member', { fields: { department: title } }),
    'the field "department" must be Nullable or Starting, because there are records without it',
    'member',
  ],
]

const faults = [
  ...faultyFields.map(
    ([field, schema, says, beside]) =>
      [() => fields({ ...beside, [field]: schema }), `the field "${field}" ${says}`] as const,
  ),
  ...others,
]

for (const [make, says, name = 'loan'] of faults)
  test(`the refusal of a declaration is one sentence: ${JSON.stringify(name)}, ${says}`, () => {
    assert.throws(make, (error) => {
      assert.ok(error instanceof DeclarationError, String(error))
      assert.equal(error.message, `The declaration of "${name}" cannot be used: ${says}.`)
      return true
    })
  })

test('resources are ordered after those that they refer to, and resources that refer to a cycle after the whole cycle', () => {
  const refer = (to: string) => ({ [`${to}Id`]: Reference(to) })
  const declared = [
    loan({ fields: { mechanicId: Nullable(Reference('mechanic')) } }, 'repair'),
    loan({ fields: refer('team') }, 'mechanic'),
    loan({ fields: refer('repair') }, 'bill'),
    loan({ fields: { leadId: Nullable(Reference('mechanic')) } }, 'team'),
  ]
  const names = assembleResources(declared).map(({ name }) => name)
  assert.deepEqual(names.slice(-4), ['team', 'mechanic', 'repair', 'bill'])
})

test('reserved words of SQL can be names of fields', () => {
  const declared = loan(
    { plural: 'group', fields: { select: title, from: Nullable(title), user: title } },
    'order',
  )
  assert.equal(assembleResources([declared]).at(-1)?.name, 'order')
})
