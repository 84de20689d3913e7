import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { Day, extend, Nullable, Reference, resource, Text } from '#src/resource.ts'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { create, shownNames, withSignId } from './members.ts'

after(closeBrowser)

const book = resource({ name: 'book', fields: { title: Text(1, 60) } })
const copy = resource({ name: 'copy', plural: 'copies', fields: { bookId: Reference('book') } })
const loan = resource({
  name: 'loan',
  fields: { memberId: Reference('member'), copyId: Reference('copy'), due: Day },
})
const fine = resource({ name: 'fine', fields: { reason: Text(1, 20), loanId: Nullable(Reference('loan')) } })
const todo = extend('todo', { fields: { memberId: Nullable(Reference('member')) } })

suite('a record without a text of its own', { skip }, () => {
  test('has the titles of the records that it refers to, in lists, its page, pickers, history and Activity', async (t) => {
    const api = await startApp(t, {}, { resources: [book, copy, loan, fine] })
    const made = async (line: string, body: object) => (await api(line, body)).body as Record<string, string>
    const anna = { ...john, firstName: 'Anna', lastName: 'Berg' }
    const { memberId } = await create(api, withSignId('anna', anna))
    const { bookId } = await made('POST /books', { title: 'The Hobbit' })
    const { copyId } = await made('POST /copies', { bookId })
    const { loanId } = await made('POST /loans', { memberId, copyId, due: '2027-01-31' })
    const name = 'Anna Berg · The Hobbit'

    const page = await openPage(t, `${api.management}/#/loans`)
    await page.getByRole('link', { name }).waitFor()
    assert.deepEqual(await shownNames(page), [name])
    await page.goto(`${api.management}/#/loans/${loanId}`)
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.goto(`${api.management}/#/loans/${loanId}/history`)
    await page.getByRole('heading', { name: new RegExp(name) }).waitFor()
    await page.goto(`${api.management}/#/activity`)
    await page.getByRole('link', { name, exact: true }).waitFor()
    await page.goto(`${api.management}/#/fines/new`)
    await page.getByLabel('Reason').fill('late')
    await page.getByRole('combobox', { name: 'Loan' }).fill('a')
    await page.getByRole('option', { name }).click()
    await page.getByRole('button', { name: 'Add fine' }).click()
    await page.getByRole('link', { name }).waitFor()
    const [late] = (await api('GET /fines')).body as { fineId: string }[]
    await page.goto(`${api.management}/#/fines/${late?.fineId}/history`)
    await page.reload()
    await page.getByRole('definition').filter({ hasText: name }).waitFor()
    await api(`DELETE /fines/${late?.fineId}`)
    await api(`DELETE /loans/${loanId}`)
    await page.goto(`${api.management}/#/loans/${loanId}/history`)
    await page.getByRole('heading', { name: new RegExp(name) }).waitFor()
  })
})

suite('the import of a file with references', { skip }, () => {
  test('shows the member that a value refers to, or names a value that nobody has and offers a choice of members', async (t) => {
    const api = await startApp(t, {}, { resources: [todo] })
    const { memberId } = await create(api, withSignId('anna', { ...john, firstName: 'Anna' }))
    const { todoId } = (await api('POST /todos', { todoTitle: 'Known' })).body as { todoId: string }
    const page = await openPage(t, `${api.management}/#/import`)
    await page.getByRole('radio', { name: 'Todos' }).check()
    const text = `todoId,title,member\n${todoId},Known,anna\n,Other,nobody\n`
    const file = { name: 'todos.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('No member has the sign id or e-mail address "nobody".').waitFor()
    const better = page.getByRole('combobox', { name: 'Another value for Member' })
    await better.fill('anna')
    await page.getByRole('option', { name: /^Anna Smith/ }).click()
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    await page.getByRole('radio', { name: /^Changed/ }).check()
    await page.getByText('Member: (nothing) → Anna Smith').waitFor()
    await page.getByRole('button', { name: 'Add 1, change 1' }).click()
    await page.getByRole('button', { name: 'Undo this import' }).waitFor()
    const todos = (await api('GET /todos')).body as { memberId: string }[]
    assert.deepEqual(
      todos.map((one) => one.memberId),
      [memberId, memberId],
    )
  })
})
