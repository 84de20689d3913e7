import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { Day, Email, Nullable, resource, Text, UtcTimestamp, Whole } from '#src/resource.ts'
import { request, startApp } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { closeNote, saveList } from './console.ts'
import { loan, openLoans } from './loan.ts'
import { shownNames } from './members.ts'

after(closeBrowser)

const titles = ['The Tale of Genji', 'Cordless drill', 'A field guide', 'Ladder', 'The Book of Tea']

suite('the console of a declared resource', { skip }, () => {
  test('The navigation leads to the list, whose code is loaded only when the list is opened.', async (t) => {
    const { management, page } = await openLoans(t, 'overview', { titles: ['Ladder'] })
    const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Loans' })
    await link.waitFor()
    const lazyFile = /lazy-\w+\.js$/
    await page.route(lazyFile, (route) => route.fulfill({ status: 404 }), { times: 1 })
    const lazy = page.waitForRequest(lazyFile)
    await link.click()
    await lazy
    await page.getByRole('alert').getByText('reload the page: the service may have been updated.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Loans', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Ladder' }).waitFor()
    assert.deepEqual(await shownNames(page), ['Ladder'])
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByRole('heading', { name: '貸出', level: 1 }).waitFor()
    await page.getByRole('columnheader', { name: '返却期限' }).waitFor()
    await page.goto(`${management}/#/lones`)
    await page
      .getByText('そのページはありません')
      .or(page.getByText('ページが見つかりません'))
      .first()
      .waitFor()
  })

  test('A record is added with the right input for each kind of field, and refusals are shown at their fields.', async (t) => {
    const { api, page, loans, members } = await openLoans(t, 'loans/new', { titles: ['Ladder'] })
    const add = page.getByRole('button', { name: 'Add loan' })
    const refused = page.locator('[aria-invalid=true]')
    await add.click()
    await page.getByText('Correct the 4 marked fields.').waitFor()
    assert.equal(await refused.count(), 4)
    await page.locator('[role=combobox]:focus').and(refused).waitFor()

    const borrower = page.getByRole('combobox', { name: 'Borrower' })
    await borrower.fill('chiara')
    await page.getByRole('option', { name: /^Chiara Rossi/ }).waitFor()
    await borrower.press('Enter')
    assert.equal(await borrower.inputValue(), 'Chiara Rossi')
    await page.getByLabel('Title').fill(' A map of clouds ')
    await page.getByRole('textbox', { name: 'Shelf', description: 'optional Where it belongs.' }).fill('a1')
    await page.getByLabel('Due').fill('1999-01-31')
    await page.getByLabel('Kind').selectOption('map')
    await page.getByRole('spinbutton', { name: 'Copies' }).fill('100')
    await page.getByRole('checkbox', { name: 'Fragile' }).check()
    await page.getByLabel('Handed out at').fill('2026-11-02T10:30')
    await add.click()
    await page.getByRole('spinbutton', { name: 'Copies' }).and(refused).waitFor()
    await page.getByLabel('Copies').fill('2')
    await add.click()
    await page.getByText('"due" is long past.').waitFor()
    await page.getByLabel('Due').fill('2027-01-31')
    await add.click()
    await page.getByRole('textbox', { name: 'Shelf' }).and(refused).waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByLabel('Shelf').fill('B2')
    await add.click()
    await page.getByText('A map of clouds is added').waitFor()
    await page.getByRole('heading', { name: 'A map of clouds', level: 1 }).waitFor()
    const { body } = await api('GET /loans')
    const added = (body as Record<string, unknown>[]).find(({ loanId }) => !loans.includes(String(loanId)))
    const { loanId: _, createdAt, lastModifiedAt, handedOutAt, ...rest } = added ?? {}
    assert.deepEqual(rest, {
      memberId: members[2],
      title: 'A map of clouds',
      shelf: 'B2',
      due: '2027-01-31',
      kind: 'map',
      copies: 2,
      fragile: true,
    })
    assert.equal(new Date(String(handedOutAt)).getMinutes(), 30)
    await page.getByRole('link', { name: 'Chiara Rossi' }).click()
    await page.getByRole('heading', { name: 'Chiara Rossi', level: 1 }).waitFor()
  })

  test('The list of a resource is searched, filtered, sorted and downloaded, and shows the chosen columns.', async (t) => {
    const { page } = await openLoans(t, 'loans', { titles })
    const counted = (text: string) => page.getByRole('status').getByText(text, { exact: true })
    await counted('5 loans').waitFor()
    await page.getByRole('button', { name: 'Title' }).click()
    await page.locator('[aria-sort=ascending]').waitFor()
    await page.waitForFunction(() => document.querySelector('tbody th')?.textContent === 'A field guide')
    await page.locator('tbody').getByText('Bound book').first().waitFor()
    await page.getByRole('searchbox').fill('the')
    await counted('2 loans with “the”').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('tool')
    await counted('2 loans').waitFor()
    assert.deepEqual(await shownNames(page), ['Cordless drill', 'Ladder'])
    await page.getByLabel('Due before').fill('2026-12-12')
    await counted('1 loan').waitFor()
    await page.waitForURL('**/#/loans?dueTo=2026-12-12&kind=tool&sort=title%2Casc')
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await counted('5 loans').waitFor()
    const borrower = page.getByRole('combobox', { name: 'Borrower' })
    await borrower.fill('bram')
    await page.getByRole('option', { name: /^Bram/ }).click()
    await counted('2 loans').waitFor()
    assert.deepEqual(await shownNames(page), ['Cordless drill', 'The Book of Tea'])
    const download = await saveList(page)
    assert.match(await textOf(download), /^\uFEFF?loanId,memberId,title,shelf,due,kind,copies,fragile,/)
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByRole('combobox', { name: 'Handed out at is empty' }).selectOption('Yes')
    await page.waitForURL('**handedOutAtIsNull=true**')
    await counted('2 loans').waitFor()
    await page.getByRole('combobox', { name: 'Fragile' }).selectOption('Yes')
    await page.getByText('Nothing matches the filters').waitFor()
    await page.goBack()
    await page.getByText('View', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Copies' }).check()
    await page.getByRole('columnheader', { name: 'Copies' }).waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Copies' }).waitFor()
  })

  test('An action runs, a deleted record is added again, and a webhook can be limited to the changes of the resource.', async (t) => {
    const { api, page, loans } = await openLoans(t, 'loans', { titles })
    await page.getByRole('link', { name: 'The Tale of Genji' }).click()
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
    await page.getByRole('button', { name: 'Give back' }).dblclick()
    await page.getByText('Give back: The Tale of Genji').waitFor()
    assert.equal(sent.length, 1, 'a double click runs the action once')
    await page.locator('dd').getByText('Yes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await closeNote(page)
    await page.getByText('4 loans').waitFor()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('main').getByRole('strong').getByText('Loan deleted').waitFor()
    await page.getByRole('link', { name: 'The Tale of Genji' }).first().click()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('1 restored').waitFor()
    assert.partialDeepStrictEqual((await api(`GET /loans/${loans[0]}`)).body, { title: 'The Tale of Genji' })

    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await page.getByRole('checkbox', { name: 'All changes' }).uncheck()
    await page.getByRole('checkbox', { name: 'Loan added' }).waitFor()
  })

  test('The scopes of a resource are offered for a key, under the label of the resource.', async (t) => {
    const { api, page } = await openLoans(t, 'keys')
    await page.getByRole('link', { name: 'New key' }).first().click()
    await page.getByLabel('Name').fill('Library')
    await page.getByRole('checkbox', { name: 'Loans read' }).check()
    await page.getByRole('checkbox', { name: 'Loans change' }).check()
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('Loans: read · change').waitFor()
    const [key] = (await api('GET /keys')).body as { scopes: string[] }[]
    assert.deepEqual(key?.scopes, ['loans:read', 'loans:update'])
  })

  test('The description of a resource names the kind of each field and what members may do.', async (t) => {
    const read = { ...loan, declaration: { ...loan.declaration, access: { member: ['read' as const] } } }
    const { management } = await startApp(t, {}, { resources: [read] })
    const response = await fetch(`${management}/resources.json`)
    const all = (await response.json()) as { name: string; access: string[]; fields: { kind: string }[] }[]
    const described = all.find(({ name }) => name === 'loan')
    assert.deepEqual(described?.access, ['read'])
    const kinds = described?.fields.map(({ kind }) => kind)
    assert.deepEqual(kinds, ['reference', 'text', 'text', 'day', 'code', 'whole', 'flag', 'time'])
    const { management: none } = await startApp(t)
    const shipped = (await (await fetch(`${none}/resources.json`)).json()) as { name: string }[]
    assert.deepEqual(shipped.map(({ name }) => name).toSorted(), ['key', 'todo', 'webhook'])
  })

  test('A long text keeps its lines in the form and on the page, and is shortened where it is the title.', async (t) => {
    const note = resource({ name: 'note', fields: { text: Text(1, 2000), place: Nullable(Text(0, 20)) } })
    const { url, management } = await startApp(t, {}, { resources: [note] })
    const text = `First line\nSecond line ${'a word '.repeat(200)}`
    const { body } = await request(url, 'POST /api/v1/notes', { body: { text } })
    const { noteId } = body as { noteId: string }
    const page = await openPage(t, `${management}/#/notes/${noteId}/edit`)
    const field = page.getByLabel('Text')
    await field.press('Control+Home')
    await field.pressSequentially('The ')
    await page.getByRole('button', { name: 'Save' }).click()
    const title = page.getByRole('heading', { level: 1, name: 'The First line' })
    await title.waitFor()
    assert.ok((await title.innerText()).length <= 120)
    assert.match(
      await page.getByRole('definition').first().innerText(),
      /^The First line\nSecond line a word /,
    )
    const stored = await request(url, `GET /api/v1/notes/${noteId}`)
    assert.equal((stored.body as { text: string }).text, `The ${text}`.trimEnd())
  })
  test('An edit changes no other value, and an incomplete date or number is refused instead of cleared.', async (t) => {
    const fields = {
      title: Text(1, 60),
      on: Nullable(Day),
      at: Nullable(UtcTimestamp),
      copies: Nullable(Whole(0)),
    }
    const note = resource({ name: 'note', fields: { ...fields, mail: Nullable(Email(60)) } })
    const { url, management } = await startApp(t, {}, { resources: [note] })
    const sent = { title: 'a\r\nb', on: '2026-02-10', at: '0050-01-02T00:00:01.001Z', copies: 7 }
    const { body } = await request(url, 'POST /api/v1/notes', { body: { ...sent, mail: 'a@bücher.de' } })
    const { noteId } = body as { noteId: string }
    const stored = async () => (await request(url, `GET /api/v1/notes/${noteId}`)).body
    const page = await openPage(t, `${management}/#/notes/${noteId}/edit`)
    const save = () => page.getByRole('button', { name: 'Save' }).click()
    const [on, copies] = [page.getByLabel('On'), page.getByLabel('Copies')]
    await on.press('Backspace')
    await save()
    await page.getByText('There is no such date.').waitFor()
    await on.fill(sent.on)
    await copies.press('Control+A')
    await copies.pressSequentially('1e')
    await save()
    await page.getByText('"copies" must be a whole number or null.').waitFor()
    await copies.fill('7')
    await copies.hover()
    await page.mouse.wheel(0, 200)
    assert.deepEqual(await stored(), body)
    await page.getByLabel('Mail').pressSequentially('x')
    await page.getByLabel('Title').press('Control+Home')
    await page.getByLabel('Title').pressSequentially('x')
    await save()
    await page.getByRole('heading', { level: 1, name: 'xa b' }).waitFor()
    assert.partialDeepStrictEqual(await stored(), { ...sent, title: 'xa\r\nb', mail: 'xa@bücher.de' })
  })
})
