import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  codes,
  type Followed,
  follow,
  type Item,
  isReduced,
  type Member,
  type NewItem,
  type Rollcall,
  rollcall,
  type Todo,
  unwrap,
} from '#client/index.ts'
import { resource, Whole } from '#src/resource.ts'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { loan, shelf } from './loan.ts'
import { cut, spoilingProxy } from './stand-ins.ts'

type Module = typeof import('./loan.ts')

interface Loan extends Item<Module, 'loan'> {}
interface NewLoan extends NewItem<Module, 'loan'> {}

const start = async (t: TestContext) => {
  const { url } = await startApp(t, {}, { resources: [loan, shelf] })
  const client = rollcall<Module>(url)
  const { memberId } = unwrap(await client.members.create(john)).value
  const book: NewLoan = { memberId, title: 'Emma', due: '2026-12-24', kind: 'book' }
  return { url, client, book }
}

test('the client has a declared resource under its plural name, with the same calls as shipped resources', async (t) => {
  const { client, book } = await start(t)
  const { loans } = client
  assert.equal(client.loans, loans)
  const made = unwrap(await loans.create(book))
  const first: Loan = made.value
  assert.deepEqual([first.copies, first.isUrgent, first.returnedAt], [1, false, null])
  assert.equal(unwrap(await loans.get(made)).status, 304)
  const patched = unwrap(await loans.patch(made, { isUrgent: true }))
  const stale = await loans.update(made, { ...first, copies: 2 })
  assert.equal(stale.ok ? '' : stale.code, codes.preconditionFailed)
  const updated = unwrap(await loans.update(patched, { ...first, copies: 2 }))
  assert.deepEqual([updated.value.copies, updated.value.isUrgent], [2, false])
  const past = await Array.fromAsync(loans.history(updated), ({ change, value }) => [
    change.type,
    value?.copies,
  ])
  assert.deepEqual(past, [
    ['loan.updated', 2],
    ['loan.updated', 1],
    ['loan.created', 1],
  ])
  assert.equal(unwrap(await loans.remove(updated)).status, 204)
  const gone = await loans.get(first.loanId)
  assert.equal(gone.ok ? '' : gone.code, codes.notFound)
})

test('a declared resource can be filtered and sorted by its fields, and shows only requested fields', async (t) => {
  const { client, book } = await start(t)
  const { loans } = client
  for (const [title, due] of [
    ['Emma', '2026-12-24'],
    ['Persuasion', '2027-01-31'],
  ] as const)
    unwrap(await loans.create({ ...book, title, due }))
  const titles = async (...[query]: Parameters<typeof loans.each>) =>
    Array.fromAsync(loans.each(query), ({ title }) => title)
  assert.deepEqual(await titles({ sort: 'title,desc' }), ['Persuasion', 'Emma'])
  assert.deepEqual(await titles({ dueFrom: '2027-01-01' }), ['Persuasion'])
  assert.deepEqual(await titles({ dueTo: '2027-01-01', kind: 'book', copies: 1, isUrgent: false }), ['Emma'])
  assert.deepEqual(await titles({ q: 'suas', memberId: book.memberId }), ['Persuasion'])
  assert.deepEqual(await titles({ returnedAtIsNull: true, sort: 'title' }), ['Emma', 'Persuasion'])
  assert.deepEqual(await titles({ returnedAtFrom: '2026-01-01', createdFrom: '2020-01-01' }), [])
  const { content } = unwrap(await loans.page({ fields: ['due'], size: 1 })).value
  assert.deepEqual(
    content.map(({ due, loanId }) => [due, loanId.length]),
    [['2026-12-24', 36]],
  )
})

test('an action is a method: it changes the version that was read, once, even if its answer is lost', async (t) => {
  const { url, client, book } = await start(t)
  const made = unwrap(await client.loans.create(book))
  const wire = await spoilingProxy(t, url, [cut])
  const back = unwrap(await rollcall<Module>(wire.url).loans.giveBack(made))
  assert.equal(wire.seen.length, 2)
  assert.equal(back.replayed, true)
  assert.ok(Date.parse(back.value.returnedAt ?? '') > 0)
  const again = await client.loans.giveBack(made)
  assert.equal(again.ok ? '' : again.code, codes.preconditionFailed)
  assert.equal(unwrap(await client.loans.giveBack(made.value.loanId)).status, 200)
})

test('a resource with an irregular plural is addressed by the id in its answers', async (t) => {
  const { client } = await start(t)
  const made = unwrap(await client.shelves.create({ floor: 2 }))
  const moved = unwrap(await client.shelves.patch(made, { floor: 3 }))
  assert.equal(moved.value.shelfId, made.value.shelfId)
  assert.deepEqual(unwrap(await client.shelves.list({ floor: 3 })).value, [moved.value])
})

test('follow works for a declared resource, and changes of other resources do not affect it', async (t) => {
  const { client, book } = await start(t)
  const followed = follow(client, 'loans')
  const next = async () => (await followed.next()).value as Followed<Loan>
  assert.deepEqual((await next()).items, [])
  unwrap(await client.shelves.create({ floor: 1 }))
  unwrap(await client.todos.create({ todoTitle: 'Milk' }))
  const made = unwrap(await client.loans.create(book))
  const { items, changes } = await next()
  assert.deepEqual(items, [made.value])
  assert.deepEqual(
    changes?.map(({ type }) => type),
    ['loan.created'],
  )
  await followed.return(undefined)
})

test('a client and its collections may be awaited and written as JSON without a request', async (t) => {
  const { client } = await start(t)
  const loans = await Promise.resolve(client.loans)
  assert.equal(JSON.stringify([await Promise.resolve(client), loans]).length > 0, true)
  assert.deepEqual(Object.keys(rollcall('')), [
    ...['todos', 'members', 'keys', 'webhooks', 'tokens', 'changes', 'batches', 'imports'],
    ...['views', 'me'],
  ])
})

test('a declaration refuses an action or plural whose name the client already uses', () => {
  const fields = { floor: Whole(0, 9) }
  const does = <T>(record: T) => record
  assert.throws(
    () => resource({ name: 'room', fields, actions: { remove: { summary: 'Remove', does } } }),
    /the action "remove" .* a client method or a command that every resource already has/,
  )
  assert.throws(() => resource({ name: 'pile', plural: 'batches', fields }), /itself has the path \/batches/)
})

/** Compiled and never called: each line that is marked must not compile. */
export const mustNotCompile = async (client: ReturnType<typeof rollcall<Module>>, book: NewLoan) => {
  const { loans, members, shelves, todos } = client
  // @ts-expect-error no such resource
  client.books
  // @ts-expect-error no resource: the module extends it
  client.member
  // @ts-expect-error no such field
  await loans.create({ ...book, colour: 'red' })
  // @ts-expect-error a field that is required
  await loans.create({ title: 'Emma', due: '2026-12-24', kind: 'book' })
  // @ts-expect-error not in the code list
  await loans.create({ ...book, kind: 'car' })
  // @ts-expect-error a number
  await loans.patch('id', { copies: '1' })
  // @ts-expect-error not nullable
  await loans.patch('id', { title: null })
  // A field that a creation may leave out keeps its value in an update.
  await loans.update('id', book)
  // @ts-expect-error times are text
  await loans.patch('id', { returnedAt: 1 })
  // @ts-expect-error no such filter
  await loans.list({ author: 'Austen' })
  // @ts-expect-error never null
  await loans.list({ dueIsNull: true })
  // @ts-expect-error a date is filtered by its limits
  await loans.list({ due: '2026-12-24' })
  // @ts-expect-error not in the code list
  await loans.list({ kind: 'car' })
  // @ts-expect-error there is no text to search
  await shelves.list({ q: 'a' })
  // @ts-expect-error no such property
  await loans.page({ sort: 'author' })
  // @ts-expect-error no such direction
  await loans.page({ sort: 'title,up' })
  // @ts-expect-error no such field
  await loans.list({ fields: ['author'] })
  // @ts-expect-error a field that was not asked for
  unwrap(await loans.get('id', { fields: ['due'] })).value.title
  // @ts-expect-error no such action
  await loans.burn('id')
  // @ts-expect-error the item of another resource
  await loans.giveBack(unwrap(await shelves.get('id')))
  // @ts-expect-error no such field of a member
  await members.patch('id', { salary: 1 })
  // @ts-expect-error not in the extension
  await members.list({ salary: 1 })
  // @ts-expect-error no such field of a todo, which the module does not extend
  await todos.patch('id', { colour: 'red' })
  // @ts-expect-error no such filter of a todo
  await todos.list({ colour: 'red' })
  // @ts-expect-error no such property of a todo
  await todos.page({ sort: 'colour' })
  // @ts-expect-error only what is declared can be followed
  follow(client, 'books')
}

/** Compiled and never called: members have the fields that a module adds. */
export const mustCompile = async (
  { members }: ReturnType<typeof rollcall<Module>>,
  plain: Rollcall,
): Promise<readonly [Member, Todo, Rollcall]> => {
  const made = unwrap(await members.create({ ...john, department: 'Sales' }))
  made.value.department satisfies string | null
  await members.update(made, { ...made.value, department: null })
  await members.list({ department: 'Sales', q: 'a' })
  await members.page({ sort: 'department,desc' })
  for await (const member of members.each())
    (isReduced(member) ? member.lastName : member.department) satisfies string | null
  // @ts-expect-error a client without the module does not know it
  await plain.members.patch('id', { department: 'Sales' })
  return [made.value, unwrap(await plain.todos.get('id')).value, rollcall('')]
}
