import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extend, resource } from '#resources/declaration.ts'
import { assembleResources } from '#resources/index.ts'
import { CodeList, Day, Flag, Nullable, Reference, Starting, Text, Unique, Whole } from '#src/resource.ts'
import { DeclarationError } from './validity.ts'

const title = Text(1, 60)

const loan = (more: object, name = 'loan') =>
  resource({ name, fields: { title }, ...more } as Parameters<typeof resource>[0])

const fields = (given: object) => loan({ fields: given })

/** Makes a faulty declaration, and what the refusal says of it. */
const faults: readonly (readonly [name: string, make: () => unknown, says: string])[] = [
  ['loan', () => assembleResources([loan({}), loan({})]), 'another resource has this name'],
  [
    'cargo',
    () => assembleResources([loan({}), loan({ plural: 'loans' }, 'cargo')]),
    'another resource has this name',
  ],
  ['member', () => loan({}, 'member'), 'the service has something of this name itself'],
  ['batch', () => loan({}, 'batch'), 'the service has something of this name itself'],
  ['backup', () => loan({}, 'backup'), 'the command line has a command of this name itself'],
  ['person', () => loan({ plural: 'members' }, 'person'), 'the service has the path /members itself'],
  ['sheep', () => loan({ plural: 'sheep' }, 'sheep'), 'its plural must differ from its name'],
  ['Loan', () => loan({}, 'Loan'), 'its name must be letters and digits, beginning with a small letter'],
  [
    'my loan',
    () => loan({}, 'my loan'),
    'its name must be letters and digits, beginning with a small letter',
  ],
  ['', () => loan({}, ''), 'its name must be letters and digits, beginning with a small letter'],
  [
    'loan',
    () => loan({ plural: 'lo"ans' }),
    'its plural must be letters and digits, beginning with a small letter',
  ],
  ['loan', () => fields({}), 'it has no fields'],
  [
    'loan',
    () => fields({ '1st': title }),
    'the field "1st" must be letters and digits, beginning with a small letter',
  ],
  [
    'loan',
    () => fields({ 'a"b': title }),
    'the field "a"b" must be letters and digits, beginning with a small letter',
  ],
  [
    'loan',
    () => fields({ xmlName: title }),
    'the field "xmlName" begins with "xml", which XML keeps for itself',
  ],
  [
    'loan',
    () => fields({ ['a'.repeat(29)]: title }),
    `the field "${'a'.repeat(29)}" is longer than 28 characters in the database`,
  ],
  [
    'loan',
    () => fields({ constructor: title }),
    'the field "constructor" is a name that every JavaScript object has',
  ],
  [
    'loan',
    () => fields({ loanId: title }),
    'the field "loanId" has the name of a field or parameter that every resource has itself',
  ],
  [
    'loan',
    () => fields({ createdAt: title }),
    'the field "createdAt" has the name of a field or parameter that every resource has itself',
  ],
  [
    'loan',
    () => fields({ sort: title }),
    'the field "sort" has the name of a field or parameter that every resource has itself',
  ],
  [
    'loan',
    () => fields({ title: 'text' }),
    'the field "title" is of no kind: give it one such as Text(1, 60)',
  ],
  ['loan', () => fields({ kind: CodeList('CL_LOAN', []) }), 'the field "kind" has a code list without codes'],
  [
    'loan',
    () => fields({ kind: CodeList('CL_LOAN', ['a', 'a']) }),
    'the field "kind" has a code list with a code twice',
  ],
  ['loan', () => fields({ title: Text(9, 1) }), 'the field "title" has a minimum length above its maximum'],
  ['loan', () => fields({ count: Whole(9, 1) }), 'the field "count" has a minimum above its maximum'],
  ['loan', () => fields({ isLate: Unique(Flag) }), 'the field "isLate" is a Flag, which cannot be Unique'],
  [
    'loan',
    () => fields({ shelf: Unique(Starting('A', title)) }),
    'the field "shelf" is Unique, so two records could not both start with a value',
  ],
  [
    'loan',
    () => fields({ parentId: Reference('loan') }),
    'the field "parentId" must be Nullable, because the first record has no other one to refer to',
  ],
  [
    'loan',
    () => assembleResources([fields({ carId: Reference('car') })]),
    'the field "carId" refers to "car", which is not declared',
  ],
  [
    'loan',
    () =>
      assembleResources([
        fields({ aId: Reference('cargo') }),
        loan({ fields: { bId: Reference('loan') } }, 'cargo'),
      ]),
    'it and "cargo" refer to one another in a circle, which their tables cannot: leave out one of these references',
  ],
  [
    'loan',
    () => loan({ actions: { history: { summary: '', does: (one: unknown) => one } } }),
    'the action "history" has the name of a path, method or command that every record has',
  ],
  [
    'loan',
    () => loan({ actions: { add: { summary: '', does: (one: unknown) => one } } }),
    'the action "add" has the name of a path, method or command that every record has',
  ],
  [
    'loan',
    () => loan({ words: { en: { titel: 'Title' } } }),
    'its words in "en" name "titel", which it does not have',
  ],
  [
    'loan',
    () =>
      loan({
        fields: { kind: CodeList('CL_KIND', ['book']) },
        words: { en: { 'kind.book': 'Book', 'kind.film': 'Film' } },
      }),
    'its words in "en" name "kind.film", which it does not have',
  ],
  [
    'loan',
    () => loan({ hooks: {} }),
    'it has "hooks", which is not one of name, plural, fields, access, rules, actions, words, migrations, headings',
  ],
  [
    'member',
    () => extend('member', { fields: { note: Nullable(title) }, rules: {} } as Parameters<typeof extend>[1]),
    'it has "rules", which is not one of name, fields, words',
  ],
  [
    'loan',
    () => loan({ rules: { insert: () => ({}) } }),
    'it has the rule "insert", which is not one of create, update, delete',
  ],
  ['loan', () => loan({ rules: { create: {} } }), 'its rule "create" is no function'],
  [
    'loan',
    () => loan({ actions: { go: (one: unknown) => one } }),
    `the action "go" must look like { summary: 'Return it', does: (record) => ({ ...record }) }`,
  ],
  [
    'loan',
    () => loan({ access: { member: ['write'] } }),
    'its access gives "write", which is not one of read, create, update, delete',
  ],
  [
    'loan',
    () => loan({ access: { members: ['read'] } }),
    'its access names "members", which is not one of member',
  ],
  [
    'loan',
    () => loan({ words: { fr: { title: 'Titre' } } }),
    'its words name the language "fr", which is not one of en, ja',
  ],
  [
    'loan',
    () => fields({ kind: CodeList('CL_KIND', [1, 2] as unknown as string[]) }),
    'the field "kind" has a code that is no text, or an empty one',
  ],
  [
    'loan',
    () => fields({ title: Text(60, undefined as unknown as number) }),
    'the field "title" needs whole numbers as limits, as in Text(1, 60) or Whole(0)',
  ],
  [
    'loan',
    () => fields({ memberId: Reference('member', { onDelete: 'delete' as 'refuse' }) }),
    'the field "memberId" has the onDelete "delete", which is not one of refuse, cascade',
  ],
  [
    'loan',
    () => fields({ count: Starting(9, Whole(1, 5)) }),
    'the field "count" cannot start with 9, which it would refuse',
  ],
  [
    'loan',
    () => fields({ due: Day, dueFrom: title }),
    'the field "dueFrom" has the name of a filter by "due"',
  ],
  [
    'loan',
    () => fields({ note: Nullable(title), noteIsNull: Flag }),
    'the field "noteIsNull" has the name of a filter by "note"',
  ],
  [
    'member',
    () => extend('member', { fields: { department: title } }),
    'the field "department" must be Nullable or Starting, because there are records without it',
  ],
]

for (const [name, make, says] of faults)
  test(`a declaration is refused in one sentence: ${JSON.stringify(name)}, ${says}`, () => {
    assert.throws(make, (error) => {
      assert.ok(error instanceof DeclarationError, String(error))
      assert.equal(error.message, `The declaration of "${name}" cannot be used: ${says}.`)
      return true
    })
  })

test('names that SQL keeps for itself can be used', () => {
  const declared = loan(
    { plural: 'group', fields: { select: title, from: Nullable(title), user: title } },
    'order',
  )
  assert.equal(assembleResources([declared]).at(-1)?.name, 'order')
})
