import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Api, john, startApp } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { assertHeldOpen } from './held-open.ts'
import { people } from './people.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

const create = async (api: Api, member: object = john) =>
  (await api('POST /members', member)).body as { memberId: string }

const names = (page: Page) => page.locator('tbody th').allTextContents()

const open = async (t: TestContext, path: (id: string) => string) => {
  const api = await startApp(t)
  const { memberId } = await create(api)
  const page = await openPage(t, `${api.management}/#/${path(memberId)}`)
  return { api, page, memberId }
}

/** A list of three pages, and the field for the number of one. */
const openPages = async (t: TestContext) => {
  const api = await startApp(t)
  for (let index = 0; index < 45; index++)
    await create(api, { ...john, credential: { signId: `person ${index}`, password: 'demodemo' } })
  const page = await openPage(t, `${api.management}/#/members`)
  const number = page.getByRole('navigation', { name: 'Pages of the list' }).getByRole('textbox')
  await number.waitFor()
  return { page, number }
}

/** Two people have changed the telephone number; the user also the first name, the other one also the address. */
const openClash = async (t: TestContext) => {
  const opened = await open(t, (id) => `members/${id}/edit`)
  const { api, page, memberId } = opened
  await page.getByLabel('First name').fill('Johnny')
  await page.getByLabel('Telephone number').fill('111')
  const { credential: _, ...profile } = john
  await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '222', address: 'Kyoto' })
  await page.getByRole('button', { name: 'Save' }).click()
  return { ...opened, dialog: page.getByRole('dialog', { name: 'Somebody else changed this record' }) }
}

suite('members in the console', { skip }, () => {
  test('the list is searched while one types, sorted and paged', async (t) => {
    const api = await startApp(t)
    const many = [...people, ...people.slice(0, 8)]
    for (const [index, person] of many.entries())
      await create(api, { ...person, credential: { signId: `person ${index}`, password: 'demodemo' } })
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByText('1–20 of 21').waitFor()
    const next = page.getByRole('button', { name: 'Next page' })
    await next.press('Enter')
    await page.getByText('21–21 of 21').waitFor()
    assert.equal(await next.evaluate((element) => element === document.activeElement), true)
    await next.press('Enter')
    await page.getByText('21–21 of 21').waitFor()

    await page.getByRole('button', { name: 'Name' }).click()
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor()
    await page.getByText('1–20 of 21').waitFor()
    assert.equal((await names(page))[0], 'João Almeida')

    await page.keyboard.press('/')
    await page.keyboard.type('  hiroshi　　sato ')
    await page.getByText('2 members with “hiroshi sato”').waitFor()
    await page.keyboard.press('/')
    await page.getByLabel('Search by name').fill('')
    await page.keyboard.type('ＳＡＴＯ')
    await page.getByText('2 members with “ＳＡＴＯ”').waitFor()
    assert.deepEqual(await names(page), ['Hiroshi Sato', 'Hiroshi Sato'])
    const search = page.getByLabel('Search by name')
    assert.equal(await search.evaluate(typeDuringSearch), 'hi')
    await search.fill('nobody at all')
    await page.getByText('No member’s name contains “nobody at all”').waitFor()
    await page.getByRole('status').getByText('0 members with “nobody at all”').waitFor()
    await page.getByRole('link', { name: 'Clear the search' }).press('Enter')
    await page.getByText('1–20 of 21').waitFor()
    await search.and(page.locator(':focus')).waitFor()
  })

  test('Escape clears the search and stays in the field; pressed again, it leaves the empty field', async (t) => {
    const { page } = await open(t, () => 'members?name=nobody')
    await page.getByText('No member’s name contains “nobody”').waitFor()
    const search = page.getByRole('searchbox')
    await search.press('Escape')
    await page.getByText('1–1 of 1').waitFor()
    await page.waitForURL('**/#/members')
    assert.equal(await search.inputValue(), '')
    const isFocused = () => search.evaluate((element) => element === document.activeElement)
    assert.equal(await isFocused(), true)
    await search.press('Escape')
    assert.equal(await isFocused(), false)
  })

  test('the search takes no more text than the service searches for', async (t) => {
    const { page } = await open(t, () => 'members')
    await page.getByRole('searchbox').focus()
    await page.keyboard.insertText('x'.repeat(300))
    await page.getByText(`No member has the sign id “${'x'.repeat(256)}”`).waitFor()
  })

  test('a sign id that is longer than a name can be is found', async (t) => {
    const api = await startApp(t)
    const signId = 'j'.repeat(256)
    await create(api, { ...john, credential: { signId, password: 'demodemo' } })
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByRole('searchbox').fill(signId)
    await page.getByRole('status').getByText(`1 member with the sign id “${signId}”`).waitFor()
    assert.deepEqual(await names(page), ['John Smith'])
    await page.getByRole('searchbox').fill(signId.slice(1))
    await page.getByText(`No member has the sign id “${signId.slice(1)}”`).waitFor()
    await page.getByText('No name is that long. A sign id must be complete.').waitFor()
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByText(`サイン ID が「${signId.slice(1)}」の会員はいません`).waitFor()
    await page.getByText('これほど長い名前はありません。').waitFor()
  })

  test('the number of a page leads to it, one beyond the end to the last', async (t) => {
    const { page, number } = await openPages(t)
    await number.fill('99')
    await number.press('Enter')
    await page.getByText('41–45 of 45').waitFor()
    await number.and(page.locator(':focus')).waitFor()
    assert.equal(await number.inputValue(), '3')
    await number.fill('２')
    await number.press('Enter')
    await page.getByText('21–40 of 45').waitFor()
    for (const text of ['0', 'two', '', '-1', '1.5', '1e1', '1,0', '3 of 3']) {
      await number.fill(text)
      await number.press('Enter')
      assert.equal(await number.inputValue(), '2')
    }
    await page.waitForURL('**/#/members?page=2')
    await page.goBack()
    await page.getByText('41–45 of 45').waitFor()
    assert.equal(await number.inputValue(), '3')
  })

  test('Escape puts the number of the page back and stays in the field; pressed again, it leaves the field', async (t) => {
    const { page, number } = await openPages(t)
    await number.fill('3')
    await number.press('Escape')
    assert.equal(await number.inputValue(), '1')
    await number.and(page.locator(':focus')).waitFor()
    await number.press('Escape')
    assert.equal(await number.and(page.locator(':focus')).count(), 0)
    await page.getByText('1–20 of 45').waitFor()
    assert.match(page.url(), /#\/members$/)
  })

  test('the number of a page is read in groups of digits, and stays while that page loads', async (t) => {
    const { page, number } = await openPages(t)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/members\?.*page=2/, async (route) => {
      await released
      await route.continue()
    })
    const asked = page.waitForRequest(/members\?.*page=2/)
    await number.fill('1,000')
    await number.press('Enter')
    await asked
    assert.equal(await number.inputValue(), '3')
    assert.equal(await page.getByText('1–20 of 45').count(), 1)
    release()
    await page.getByText('41–45 of 45').waitFor()
    assert.equal(await number.inputValue(), '3')
  })

  test('quick presses of Next all count, and the last page is shown from its top', async (t) => {
    const { page, number } = await openPages(t)
    const release = await hold(page, /members\?.*page=[12]/, 'GET')
    const next = page.getByRole('button', { name: 'Next page' })
    await next.click()
    await next.click()
    await next.and(page.locator('[aria-disabled=true]')).waitFor()
    assert.equal(await number.inputValue(), '3')
    release()
    await page.getByText('41–45 of 45').waitFor()
    await page.waitForURL('**/#/members?page=3')

    await page.setViewportSize({ width: 1280, height: 300 })
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('21–40 of 45').waitFor()
    await page.waitForFunction(() => {
      const { top = -1 } = document.querySelector('.roll')?.getBoundingClientRect() ?? {}
      return scrollY > 0 && top >= 0
    })
    await page.getByRole('columnheader', { name: 'Name' }).click({ trial: true })
  })

  test('a password is shown while its button is pressed', async (t) => {
    const { page } = await open(t, () => 'members/new')
    const field = page.getByLabel('Password')
    const eye = page.getByRole('button', { name: 'Show “Password”' })
    await field.fill('demodemo')
    await eye.press('Enter')
    await eye.and(page.locator('[aria-pressed=true]:focus')).waitFor()
    assert.deepEqual([await field.getAttribute('type'), await field.inputValue()], ['text', 'demodemo'])
    await eye.press('Space')
    await eye.and(page.locator('[aria-pressed=false]')).waitFor()
    assert.equal(await field.getAttribute('type'), 'password')
  })

  test('required fields are announced as such, before anything is sent', async (t) => {
    const { page } = await open(t, () => 'members/new')
    await page.getByLabel('First name').waitFor()
    const required = await page
      .locator('[aria-required=true]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('name') ?? one.role))
    assert.deepEqual(required, [
      'firstName',
      'lastName',
      'radiogroup',
      'dateOfBirth',
      'emailAddress',
      'credential.password',
    ])
  })

  test('the list is downloaded page by page without passwords, and a download can be stopped', async (t) => {
    const api = await startApp(t, { PAGE_SIZE_MAX: '5' })
    for (const person of people) await create(api, person)
    const page = await openPage(t, `${api.management}/#/members?sort=lastName`)
    await page.getByText(`1–5 of ${people.length}`).waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/cursor=./, async (route) => {
      await released
      await route.continue()
    })
    const button = page.getByRole('button', { name: 'Download CSV' })
    await button.click()
    await page.getByRole('button', { name: 'Stop, 5 read' }).click()
    await button.waitFor()
    release()
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
    const [heading, ...rows] = (await textOf(download)).trim().split('\r\n')
    assert.match(heading ?? '', /^\uFEFF?memberId,firstName,lastName,.*credential\.signId,/)
    assert.doesNotMatch(heading ?? '', /hash|password(?!LastChangedAt)/i)
    assert.deepEqual(
      rows.map((row) => row.split(',')[2]).toSorted(),
      people.map(({ lastName }) => lastName as string).toSorted(),
    )
    assert.match(rows[0] ?? '', /,João,Almeida,/)
  })

  test('the number of rows is shown as the service gives them, also if it allows fewer than any choice', async (t) => {
    const api = await startApp(t, { PAGE_SIZE_MAX: '5' })
    for (const person of people) await create(api, person)
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByText(`1–5 of ${people.length}`).waitFor()
    assert.equal(await page.getByLabel('Rows').inputValue(), '5')
    assert.deepEqual(await page.getByLabel('Rows').locator('option').allTextContents(), [
      '5',
      '20',
      '50',
      '100',
    ])
  })

  test('a download continues when its page is left or the list becomes empty', async (t) => {
    const api = await startApp(t, { PAGE_SIZE_MAX: '5' })
    for (const person of people) await create(api, person)
    const page = await openPage(t, `${api.management}/#/members`)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/cursor=./, async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await page.getByRole('button', { name: 'Stop, 5 read' }).waitFor()
    await page.getByRole('link', { name: 'Todos' }).click()
    await page.getByText('Nothing to do').waitFor()
    assert.equal(await page.getByRole('button', { name: /Download CSV|Stop/ }).count(), 0)
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText('No member’s name contains “nobody”').waitFor()
    await page.getByRole('button', { name: 'Stop, 5 read' }).waitFor()
    const downloaded = page.waitForEvent('download')
    release()
    const [, ...rows] = (await textOf(await downloaded)).trim().split('\r\n')
    assert.equal(rows.length, people.length)
    await page.getByText(`${people.length} rows saved as CSV`).waitFor()
    await page.getByRole('button', { name: /Download CSV|Stop/ }).waitFor({ state: 'detached' })
  })

  test('a member created elsewhere soon appears in the list', async (t) => {
    const api = await startApp(t)
    await create(api)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/members`)
    await page.getByText('1–1 of 1').waitFor()
    await create(api, people[0])
    await page.clock.runFor(10_000)
    await page.getByText('1–2 of 2').waitFor()
    await page.getByRole('link', { name: 'Aiko Tanaka' }).waitFor()
  })

  test('a complete sign id finds its member if no name contains it, in the list and its download', async (t) => {
    const api = await startApp(t)
    await create(api, john)
    await create(api, people[0])
    const page = await openPage(t, `${api.management}/#/members`)
    const search = page.getByLabel('Search by name or sign id')
    await search.fill('John.Smith@Example.com')
    await page.getByRole('status').getByText('1 member with the sign id “John.Smith@Example.com”').waitFor()
    assert.deepEqual(await names(page), ['John Smith'])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const [, ...lines] = (await textOf(download)).trim().split('\r\n')
    assert.match(lines.join(), /^[^,]+,John,Smith,[^\n]+$/)
    await search.fill('john.smith@')
    await page.getByRole('status').getByText('0 members with “john.smith@”').waitFor()
    await page.getByText('A sign id must be complete.').waitFor()
  })

  test('a member found by sign id is refreshed when renamed or given another sign id', async (t) => {
    const api = await startApp(t)
    const { memberId } = await create(api, { ...john, firstName: 'Jo' })
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    await page.goto(`${api.management}/#/members?name=john.smith@example.com`)
    await page.getByText('1 member with the sign id').waitFor()
    const put = (signId: string) =>
      api(`PUT /members/${memberId}/credential`, { signId, password: 'long enough' })
    await api(
      `PATCH /members/${memberId}`,
      { lastName: 'Jones' },
      { 'Content-Type': 'application/merge-patch+json' },
    )
    await page.clock.runFor(10_000)
    await page.getByText('Jo Jones').waitFor()
    await put('jo')
    await page.clock.runFor(10_000)
    await page.getByText('0 members with “john.smith@example.com”').waitFor()
    await put('john.smith@example.com')
    await page.clock.runFor(10_000)
    await page.getByText('1 member with the sign id').waitFor()
  })

  test('the status keeps the old count until a new search is answered', async (t) => {
    const { page } = await open(t, () => 'members')
    await page.getByRole('status').getByText('1 member').waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/name=nobody/, async (route) => {
      await released
      await route.continue()
    })
    const requested = page.waitForRequest(/name=nobody/)
    await page.getByLabel('Search by name').fill('nobody')
    await requested
    assert.equal(
      await page
        .getByRole('status')
        .getByText(/member/)
        .textContent(),
      '1 member',
    )
    release()
    await page.getByRole('status').getByText('0 members with “nobody”').waitFor()
  })

  test('Back restores the page, order and scroll position of the list; a bad order can be reset', async (t) => {
    const api = await startApp(t)
    for (let index = 0; index < 45; index++)
      await create(api, { ...john, credential: { signId: `person ${index}`, password: 'demodemo' } })
    const page = await openPage(t, `${api.management}/#/members?page=9999`)
    await page.getByText('41–45 of 45').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('21–40 of 45').waitFor()
    await page.getByRole('button', { name: 'Name' }).click()
    await page.getByText('1–20 of 45').waitFor()
    await page.goBack()
    await page.getByText('21–40 of 45').waitFor()
    await page.evaluate(() => scrollTo(0, 400))
    await page.getByRole('link', { name: 'John Smith' }).nth(12).click()
    await page.getByText('On the roll since').waitFor()
    await page.goBack()
    await page.getByText('21–40 of 45').waitFor()
    await page.waitForFunction(() => scrollY === 400)
    await page.goto(`${api.management}/#/members?sort=foo`)
    await page.getByText('The address asks for a list that does not exist.').waitFor()
    await page.getByRole('link', { name: 'Reset the list' }).press('Enter')
    await page.getByText('1–20 of 45').waitFor()
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()
  })

  test('Back and the links to the list lead to it as it was, and never to a finished form', async (t) => {
    const api = await startApp(t)
    for (const [index, person] of [...people, ...people].entries())
      await create(api, { ...person, credential: { signId: `person ${index}`, password: 'demodemo' } })
    const list = `${api.management}/#/members?name=a&sort=lastName%2Cdesc&page=2`
    const page = await openPage(t, list)
    const member = page.getByRole('link', { name: 'João Almeida' })
    await member.nth(1).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Address', { exact: true }).fill('Porto')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('João Almeida is saved').waitFor()
    await page.getByText('Porto').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'João Almeida', exact: true }).waitFor()
    await page.goBack()
    await page.waitForURL(list)
    await member.nth(1).click()
    await page.getByRole('main').getByRole('link', { name: 'Members' }).click()
    await page.waitForURL(list)
    await page.keyboard.press('n')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL(list)
    await member.nth(1).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(list)
    await page.goBack()
    await page.waitForURL(list)
  })

  test('members with the same last name are ordered by first name, in the same direction', async (t) => {
    const api = await startApp(t)
    for (const firstName of ['Tim', 'Ann', 'Max'])
      await create(api, { ...john, firstName, credential: { signId: firstName, password: 'demodemo' } })
    const page = await openPage(t, `${api.management}/#/members?sort=lastName,desc`)
    await page.getByText('1–3 of 3').waitFor()
    assert.deepEqual(await names(page), ['Tim Smith', 'Max Smith', 'Ann Smith'])
  })

  test('a member is created once the errors shown at its fields are corrected', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/members/new`)
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('E-mail address').fill('no address')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page
      .getByRole('textbox', { name: 'E-mail address', description: /^This is not an e-mail/ })
      .waitFor()
    await page.getByText('8 to 128 characters.').waitFor()
    await page.getByRole('textbox', { name: 'Last name', description: 'This is required.' }).waitFor()
    const field = page.getByLabel('Last name')
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await field.evaluate((element) => element === document.activeElement), true)

    await field.fill('Lovelace')
    assert.equal(await field.getAttribute('aria-invalid'), 'false')
    await page.getByRole('radio', { name: 'Woman' }).check()
    await page.getByLabel('Date of birth').fill('1815-12-10')
    await page.getByLabel('E-mail address').fill('Ada@Example.com')
    await page.getByLabel('Password').fill('analytical')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
    await page.getByText('ada@example.com', { exact: true }).waitFor()
    await page.getByText('Dec 10, 1815').waitFor()
  })

  test('surrounding white space is trimmed, except in passwords and untouched fields', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/members/new`)
    const type = (label: string, text: string) => page.getByLabel(label).fill(text)
    await type('First name', ' Ada\u3000')
    await type('Last name', '   ')
    await type('Date of birth', '1815-12-10')
    await type('E-mail address', ' ada@example.com ')
    await type('Sign id', ' ada ')
    await type('Password', '  demodemo  ')
    await page.getByRole('radio', { name: 'Woman' }).check()
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('textbox', { name: 'Last name', description: 'This is required.' }).waitFor()
    await type('Last name', ' Love  lace ')
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Add member' }).click()
    const { firstName, lastName, emailAddress, credential } = (await sent).postDataJSON()
    assert.deepEqual(
      { firstName, lastName, emailAddress, credential },
      {
        firstName: 'Ada',
        lastName: 'Love  lace',
        emailAddress: 'ada@example.com',
        credential: { signId: 'ada', password: '  demodemo  ' },
      },
    )

    await page.getByRole('heading', { name: 'Ada Love lace' }).waitFor()

    const { memberId } = await create(api, { ...john, firstName: ' John' })
    await page.goto(`${api.management}/#/members/${memberId}/edit`)
    await type('Last name', 'Jones ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'John Jones' }).waitFor()
    const { body } = await api(`GET /members/${memberId}`)
    const { firstName: first, lastName: last } = body as Record<string, string>
    assert.deepEqual([first, last], [' John', 'Jones'])
  })

  test('required fields left empty are marked as such, including the password', async (t) => {
    const { page } = await open(t, () => 'members/new')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page
      .getByRole('textbox', { name: 'Password', description: /This is required\.$/ })
      .and(page.locator('[aria-invalid=true]'))
      .waitFor()
    await page.getByText('6 fields need another look.').waitFor()
  })

  test('in Japanese the family name comes before the given name', async (t) => {
    const { page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByRole('heading', { name: 'Smith John' }).waitFor()
    assert.deepEqual((await page.locator('dt').allTextContents()).slice(0, 2), ['姓', '名'])
    await page.evaluate((id) => location.assign(`#/members/${id}/edit`), memberId)
    const fields = page.locator('input.input[name]')
    await fields.first().waitFor()
    const order = () => fields.evaluateAll((all) => all.slice(0, 2).map((one) => one.getAttribute('name')))
    assert.deepEqual(await order(), ['lastName', 'firstName'])
    await fields.first().fill('Smythe')
    await page.getByRole('radio', { name: 'English' }).check()
    assert.deepEqual(await order(), ['firstName', 'lastName'])
    assert.equal(await page.getByLabel('Last name').inputValue(), 'Smythe')
  })

  test('field errors follow a change of language, and an impossible date is not called missing', async (t) => {
    const { page } = await open(t, () => 'members/new')
    await page.getByLabel('Date of birth').pressSequentially('02301990')
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByText('There is no such date.').waitFor()
    await page.getByLabel('Address', { exact: true }).focus()
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByText('そのような日付はありません。').waitFor()
    await page.getByText('必須の項目です。').first().waitFor()
    await page.getByRole('radio', { name: '日本語' }).and(page.locator(':focus')).waitFor()
  })

  test('leaving a half-typed date asks for confirmation', async (t) => {
    const { page } = await open(t, () => 'members/new')
    await page.getByLabel('Date of birth').pressSequentially('02')
    await page.getByRole('link', { name: 'Todos' }).click()
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click()
    await page.getByRole('heading', { name: 'New member' }).waitFor()
  })

  test('a form whose answer was lost says so until it is sent again, also if the service is back', async (t) => {
    const { page } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('First name').fill('Johnny')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    const failed = page.getByRole('alert').getByText('This may not have been saved: save it again.')
    const away = page.getByText('No connection to the service.')
    await failed.waitFor()
    await away.waitFor()
    await page.context().setOffline(false)
    await away.waitFor({ state: 'detached' })
    assert.equal(await failed.count(), 1)
    assert.equal(await page.getByLabel('First name').inputValue(), 'Johnny')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Johnny Smith is saved').waitFor()
  })

  test('a new member whose answer was lost is added only once when Add is pressed again', async (t) => {
    const { api, page } = await open(t, () => 'members/new')
    const keys: (string | undefined)[] = []
    await page.route('**/api/v1/members', async (route) => {
      const request = route.request()
      keys.push(request.headers()['idempotency-key'])
      if (keys.length > 3) return route.continue()
      if (keys.length === 1) await route.fetch()
      await route.abort()
    })
    await fillNew(page)
    const add = page.getByRole('button', { name: 'Add member' })
    await add.click()
    await page.getByRole('alert').getByText('The member may have been added').waitFor()
    await add.click()
    await page.getByText('Dora Up is on the roll').waitFor()
    assert.equal(keys.length, 4)
    assert.equal(new Set(keys).size, 1)
    assert.equal(((await api('GET /members')).body as unknown[]).length, 2)
  })

  test('a sign id in use is reported at its field, a missing gender at its choices', async (t) => {
    const { page } = await open(t, () => 'members/new')
    for (const [label, text] of [
      ['First name', 'John'],
      ['Last name', 'Twin'],
      ['Date of birth', '1983-01-17'],
      ['E-mail address', john.emailAddress],
      ['Password', 'demodemo'],
    ] as const) {
      await page.getByLabel(label).fill(text)
    }
    await page.getByRole('button', { name: 'Add member' }).click()
    const group = page.getByRole('radiogroup', { name: 'Gender', description: 'This is required.' })
    await group.and(page.locator('[aria-invalid=true]')).waitFor()
    await group.getByRole('radio').and(page.locator(':focus')).waitFor()
    await page.getByRole('radio', { name: 'Man', exact: true }).check()
    await page.getByRole('button', { name: 'Add member' }).click()
    await page
      .getByRole('textbox', {
        name: 'Sign id',
        description: /john.smith@example.com is taken. Choose another sign id.$/,
      })
      .and(page.locator('[aria-invalid=true]:focus'))
      .waitFor()
  })

  test('right-to-left names are shown as such, invisible ones as (empty); print hides the controls', async (t) => {
    const api = await startApp(t)
    await create(api, {
      ...john,
      firstName: '\u200b',
      lastName: ' ',
      credential: { signId: 'b', password: 'demodemo' },
    })
    await create(api, { ...john, firstName: 'محمد', lastName: 'الفاسي' })
    const page = await openPage(t, `${api.management}/#/members`)
    const direction = (element: Element) => getComputedStyle(element).direction
    assert.equal(await page.getByRole('rowheader', { name: 'محمد' }).evaluate(direction), 'rtl')
    await page.getByRole('link', { name: '(empty)' }).click()
    await page.getByRole('heading', { name: '(empty)', level: 1 }).waitFor()
    assert.deepEqual(await page.locator('dd').getByText('(empty)').count(), 2)
    assert.equal(await page.locator('.record-seal').textContent(), '(')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('navigation').isVisible(), false)
    assert.equal(await page.getByRole('button', { name: 'Delete' }).isVisible(), false)
  })

  test('a member that is still loading has a heading that says so', async (t) => {
    const { page, memberId } = await open(t, () => 'members')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(new RegExp(memberId), async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('link', { name: 'John Smith' }).click()
    await page.getByRole('heading', { name: 'Loading…', level: 1 }).and(page.locator(':focus')).waitFor()
    release()
    await page.getByRole('heading', { name: 'John Smith', level: 1 }).and(page.locator(':focus')).waitFor()
  })

  test('the detailed and the reduced view hide the fields that they leave out', async (t) => {
    const { page } = await open(t, (id) => `members/${id}`)
    await page.getByText('Sign id').waitFor()
    await page.getByRole('radio', { name: 'Detailed' }).check()
    await page.getByText('Sign id').waitFor({ state: 'detached' })
    assert.equal(await page.getByText('Date of birth').count(), 1)
    await page.getByRole('radio', { name: 'Reduced' }).check()
    await page.getByText('Date of birth').waitFor({ state: 'detached' })
    assert.equal(await page.getByText('First name').count(), 1)
    await page.getByRole('radio', { name: 'Full' }).press('Space')
    await page.getByText('Sign id').waitFor()
    await page.getByRole('radio', { name: 'Full' }).and(page.locator(':focus')).waitFor()
  })

  test('fields filled at the same time are all kept', async (t) => {
    const { page } = await open(t, () => 'members/new')
    await page.getByLabel('First name').waitFor()
    await page.evaluate(() => {
      for (const name of ['firstName', 'lastName']) {
        const input = document.getElementsByName(name)[0] as HTMLInputElement
        input.value = `my ${name}`
        input.dispatchEvent(new Event('input', { bubbles: true }))
      }
    })
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('alert').getByText('fields').waitFor()
    assert.equal(await page.getByLabel('First name').inputValue(), 'my firstName')
    assert.equal(await page.getByLabel('Last name').inputValue(), 'my lastName')
  })

  const late = [
    ['edit', 'Save', 'Johnny Smith is saved'],
    ['', 'Delete', 'John Smith is off the roll'],
  ] as const
  for (const [action, button, notice] of late) {
    test(`${button}: a late success does not navigate away from a form opened since`, async (t) => {
      const { api, page } = await open(t, (id) => `members/${id}/${action}`)
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      await page.route(/members\/.+/, async (route) => {
        if (route.request().method() !== 'GET') await released
        await route.continue()
      })
      if (action === 'edit') await page.getByLabel('First name').fill('Johnny')
      await page.getByRole('button', { name: button }).click()
      if (action === '') await page.getByRole('dialog').getByRole('button', { name: button }).click()
      await page.evaluate(() => location.assign('#/members/new'))
      if (action === 'edit') await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
      await page.getByRole('heading', { name: 'New member' }).waitFor()
      await page.getByLabel('First name').fill('Ada')
      release()
      await page.getByText(notice).waitFor()
      assert.equal(page.url(), `${api.management}/#/members/new`)
      assert.equal(await page.getByLabel('First name').inputValue(), 'Ada')
      assert.equal(await page.getByRole('dialog').count(), 0)
    })
  }

  test('a form that is being sent takes no more text, and keeps the focus', async (t) => {
    const { page, memberId } = await open(t, (id) => `members/${id}/edit`)
    const release = await hold(page, '**/api/v1/members/*', 'PUT')
    const name = page.getByLabel('First name')
    await name.fill('Johnny')
    await name.press('Enter')
    await page.locator('form[aria-busy=true]').waitFor()
    await page.keyboard.type(' late')
    await name.and(page.locator(':focus')).waitFor()
    await page.getByRole('radio', { name: 'Woman' }).click({ force: true })
    assert.equal(await name.inputValue(), 'Johnny')
    assert.equal(await page.getByRole('radio', { name: 'Man', exact: true }).isChecked(), true)
    release()
    await page.getByText('Johnny Smith is saved').waitFor()
    await page.waitForURL(`**/#/members/${memberId}`)
  })

  test('a sign id that is in use may be so by the member whose answer was lost', async (t) => {
    const { page } = await open(t, () => 'members/new')
    let count = 0
    await page.route('**/api/v1/members', async (route) => {
      count += 1
      if (count > 3) return route.continue()
      if (count === 1) await route.fetch()
      await route.abort()
    })
    await fillNew(page)
    const add = page.getByRole('button', { name: 'Add member' })
    await add.click()
    await page.getByRole('alert').getByText('The member may have been added').waitFor()
    await page.getByLabel('Address', { exact: true }).fill('Osaka')
    await add.click()
    await page.getByRole('alert').getByText('taken by the very member that you tried to add').waitFor()
  })

  test('an edit keeps null and the empty string apart', async (t) => {
    const api = await startApp(t)
    const { memberId } = await create(api, { ...john, telephoneNumber: null, zipCode: '' })
    const page = await openPage(t, `${api.management}/#/members/${memberId}/edit`)
    await page.getByLabel('Address', { exact: true }).fill('Osaka')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('John Smith is saved').waitFor()
    const { telephoneNumber, zipCode, address } = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual(
      { telephoneNumber, zipCode, address },
      { telephoneNumber: null, zipCode: '', address: 'Osaka' },
    )
  })

  test('leaving unsaved changes asks for confirmation, whether by link, Back or reload', async (t) => {
    const { page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    const field = page.getByLabel('First name')
    await field.fill('Johnny')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    const leaveBy: (() => Promise<unknown>)[] = [
      () => page.getByRole('link', { name: 'Cancel' }).click(),
      () => page.getByRole('link', { name: 'Todos' }).click(),
      () => page.goBack(),
    ]
    for (const leave of leaveBy) {
      await leave()
      await dialog.getByRole('button', { name: 'Stay' }).click()
      await page.waitForURL(`**/#/members/${memberId}/edit`)
      assert.equal(await field.inputValue(), 'Johnny')
    }
    await assertHeldOpen(page)
    await page.goBack()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(`**/#/members/${memberId}`)
    await page.goForward()
    await page.getByRole('heading', { name: 'Edit John Smith' }).waitFor()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'John Smith', exact: true }).waitFor()
  })

  test('changes of different fields are all saved without a question, and the note names those of others', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('Address', { exact: true }).fill('Kyoto')
    await page.getByLabel('Telephone number').fill(' 111 ')
    const { credential: _, ...profile } = john
    const theirs = { zipCode: '222', lastName: 'Jones', telephoneNumber: '111' }
    await api(`PUT /members/${memberId}`, { ...profile, ...theirs })
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText('John Jones is saved. Somebody else changed meanwhile: Last name, Zip code', { exact: true })
      .waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.address, stored.zipCode, stored.lastName], ['Kyoto', '222', 'Jones'])
  })

  test('when both changed a field, the choice says what else is saved, and to discard discards all of it', async (t) => {
    const { api, page, memberId, dialog } = await openClash(t)
    await dialog.getByText('Your other changes are saved as well: First name.').waitFor()
    await dialog.getByText('Their other changes stay: Address.').waitFor()
    await dialog.getByRole('button', { name: 'Discard all my changes' }).click()
    await page.waitForURL(`**/#/members/${memberId}`)
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.firstName, stored.telephoneNumber, stored.address], ['John', '222', 'Kyoto'])
  })

  test('on a concurrent change both versions are shown side by side, and the choice is saved', async (t) => {
    const { api, page, memberId, dialog } = await openClash(t)
    await dialog.waitFor()
    assert.deepEqual(await dialog.locator('tbody th').allTextContents(), ['Telephone number'])
    assert.equal(await dialog.getByLabel('Telephone number, Yours: 111').isChecked(), true)
    await dialog.getByLabel('Telephone number, Stored now: 222').check()
    await dialog.getByRole('button', { name: 'Save my choice' }).click()
    await page.getByText('Johnny Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.firstName, stored.telephoneNumber, stored.address], ['Johnny', '222', 'Kyoto'])
  })

  test('a second conflict is judged by the choice made at the first', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    const { credential: _, ...profile } = john
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this record' })
    const rows = () => dialog.locator('tbody th').allTextContents()
    const keep = dialog.getByRole('button', { name: 'Save my choice' })
    await page.getByLabel('First name').fill('Johnny')
    await page.getByLabel('Telephone number').fill('111')
    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '222' })
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByLabel('Telephone number, Yours: 111').check()

    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '333' })
    await keep.click()
    await dialog.getByLabel('Telephone number, Stored now: 333').check()
    assert.deepEqual(await rows(), ['Telephone number'])

    await api(`PUT /members/${memberId}`, { ...profile, address: 'Kyoto' })
    await keep.click()
    await page.getByText('Johnny Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual(
      [stored.firstName, stored.telephoneNumber, stored.address],
      ['Johnny', john.telephoneNumber, 'Kyoto'],
    )
  })

  test('a choice that the service refuses stays in the form, and is not asked for again', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    const { credential: _, ...profile } = john
    await page.getByLabel('E-mail address').fill('nowhere')
    await page.getByLabel('Telephone number').fill('111')
    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '222' })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.click()
    await page.getByLabel('Telephone number, Stored now: 222').check()
    await page.getByRole('button', { name: 'Save my choice' }).click()
    await page.getByRole('alert').getByText('another look').waitFor()
    assert.equal(await page.getByLabel('Telephone number').inputValue(), '222')
    await page.getByLabel('E-mail address').fill('john@example.com')
    await save.click()
    await page.getByText('John Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.emailAddress, stored.telephoneNumber], ['john@example.com', '222'])
  })

  test('a concurrent change outside the form, or equal to the edit, is saved without a question', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('First name').fill('Johnny')
    await page.getByLabel('Telephone number').fill('111')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' })
    const { credential: _, ...profile } = john
    await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '111' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Johnny Smith is saved').waitFor()
    const stored = (await api(`GET /members/${memberId}`)).body as typeof john
    assert.deepEqual([stored.firstName, stored.telephoneNumber], ['Johnny', '111'])
  })

  test('saving a member that somebody else has deleted says so', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('First name').fill('Johnny')
    await api(`DELETE /members/${memberId}`)
    const save = page.getByRole('button', { name: 'Save' })
    const alert = page.getByRole('alert')
    await save.click()
    await alert.getByText('Somebody has deleted this member, so nothing was saved.').waitFor()
    await page.getByRole('radio', { name: '日本語' }).check()
    await alert.getByText('この会員は削除されているため、保存できませんでした。').waitFor()
  })

  test('a second press of Save while the stored version is read sends nothing more', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.getByLabel('First name').fill('Johnny')
    await api(`PUT /members/${memberId}/credential`, { password: 'another one' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const puts: string[] = []
    await page.route('**/api/v1/members/*', async (route) => {
      if (route.request().method() === 'PUT') puts.push(route.request().postData() ?? '')
      else await released
      await route.continue()
    })
    const save = page.getByRole('button', { name: 'Save' })
    const reading = page.waitForRequest((request) => request.method() === 'GET')
    await save.click()
    await reading
    await save.press('Enter')
    await page.waitForTimeout(200)
    release()
    await page.getByText('Johnny Smith is saved').waitFor()
    assert.equal(puts.length, 2)
    assert.equal(await page.getByText('Johnny Smith is saved').count(), 1)
  })

  test('on a small screen the dialog with both versions opens at its title', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}/edit`)
    await page.setViewportSize({ width: 320, height: 256 })
    await page.getByLabel('First name').fill('Johnny')
    const { credential: _, ...profile } = john
    await api(`PUT /members/${memberId}`, { ...profile, firstName: 'Jack' })
    await page.getByRole('button', { name: 'Save' }).press('Enter')
    const dialog = page.getByRole('dialog', {
      name: 'Somebody else changed',
      description: /^It was saved at /,
    })
    await dialog.waitFor()
    assert.equal(await dialog.evaluate(({ scrollTop }) => scrollTop), 0)
    await dialog.getByLabel('First name, Yours: Johnny').check()
  })

  test('an empty or short new password is refused; with open access no current one is needed', async (t) => {
    const { page } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByLabel('New password').and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByLabel('Current password').count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('This is required.').waitFor()
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('8 to 128 characters.').waitFor()
    await page.getByLabel('New password').fill('long enough')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('John Smith has a new password').waitFor()
  })

  test('a sign id is changed together with the password; one in use is refused at its field', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await create(api, people[0])
    await page.getByRole('button', { name: 'Change password' }).click()
    const signId = page.getByRole('dialog').getByLabel('Sign id')
    assert.equal(await signId.inputValue(), 'john.smith@example.com')
    await page.getByLabel('New password').fill('long enough')
    const save = page.getByRole('button', { name: 'Save' })
    await signId.fill(people[0]?.emailAddress ?? '')
    await save.click()
    await page.getByRole('alert').getByText('aiko.tanaka@example.com is taken.').waitFor()
    await signId.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    await signId.fill('x'.repeat(257))
    await save.click()
    await page.getByRole('alert').getByText('At most 256 characters.').waitFor()
    await signId.fill('  john ')
    await save.click()
    await page.getByText('John Smith has a new password').waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^john$/ })
      .waitFor()
    const { body } = await api(`GET /members/${memberId}`)
    assert.equal((body as { credential: { signId: string } }).credential.signId, 'john')
  })

  test('a new password is not closed while it is sent, nor given up without a question', async (t) => {
    const api = await startApp(t, basic)
    const { memberId } = (await api('POST /members', john, asAdmin)).body as { memberId: string }
    const page = await openPage(t, `${api.management}/#/members/${memberId}`)
    await signIn(page, 'admin', 'admin-password')
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the password of John Smith' })
    const order = dialog
      .locator('input')
      .evaluateAll((fields) => fields.map((field) => field.getAttribute('autocomplete')))
    assert.deepEqual(await order, ['username', 'new-password', 'current-password'])
    const password = dialog.getByLabel('New password')
    await password.and(page.locator(':focus')).waitFor()
    const release = await hold(page, '**/credential', 'PUT')
    await password.fill('short')
    await password.press('Enter')
    await dialog.locator('form[aria-busy=true]').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    release()
    await dialog.getByRole('alert').getByText('8 to 128 characters.').waitFor()
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await password.inputValue(), 'short')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await question.count(), 0)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('an untouched sign id is not reset to the one the page shows', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await api(`PUT /members/${memberId}/credential`, { signId: 'meanwhile', password: 'long enough' })
    await page.getByLabel('New password').fill('long enough')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('John Smith has a new password').waitFor()
    const { body } = await api(`GET /members/${memberId}`)
    assert.equal((body as { credential: { signId: string } }).credential.signId, 'meanwhile')
  })

  test('a member is deleted only after confirmation', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.keyboard.press('Escape')
    assert.equal((await api(`GET /members/${memberId}`)).status, 200)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('John Smith is off the roll').waitFor()
    assert.equal((await api(`GET /members/${memberId}`)).status, 404)
  })

  test('a deletion shows that it is under way, and is sent once', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    const release = await hold(page, '**/api/v1/members/*', 'DELETE')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    const busy = dialog.getByRole('button', { name: 'Deleting…' })
    await busy.press('Enter')
    await page.keyboard.press('Escape')
    assert.equal(await busy.isVisible(), true)
    release()
    await page.getByText('John Smith is off the roll').waitFor()
    assert.equal(await page.getByRole('log').getByText('John Smith').count(), 1)
    assert.equal((await api(`GET /members/${memberId}`)).status, 404)
  })

  test('a deletion whose answer was lost succeeds when it is sent again', async (t) => {
    const { page } = await open(t, (id) => `members/${id}`)
    let isLost = false
    await page.route('**/api/v1/members/*', async (route) => {
      if (route.request().method() !== 'DELETE' || isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog
      .getByRole('alert')
      .getByText('The member may not have been deleted: delete it again.')
      .waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('John Smith is off the roll').waitFor()
  })

  test('a member that somebody else has changed is deleted only once that has been shown', async (t) => {
    const { api, page, memberId } = await open(t, (id) => `members/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const { credential: _, ...profile } = john
    await api(`PUT /members/${memberId}`, { ...profile, zipCode: '222' })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('alert').getByText('Somebody else has changed this member').waitFor()
    await dialog.getByRole('row', { name: `Zip code ${john.zipCode} 222` }).waitFor()
    assert.equal(await dialog.locator('tbody tr').count(), 1)
    assert.equal((await api(`GET /members/${memberId}`)).status, 200)
    assert.deepEqual(await violationsInBothLights(page), [])
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('John Smith is off the roll').waitFor()
    assert.equal((await api(`GET /members/${memberId}`)).status, 404)
  })

  test('dates in the list are shown in full at every width', async (t) => {
    const api = await startApp(t)
    await create(api, { ...john, dateOfBirth: '1990-11-26' })
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByText('1–1 of 1').waitFor()
    for (const width of [1280, 1152, 1151, 1000, 897, 833, 641, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const cut = await page
        .locator('td:is(.col-createdAt, .col-dateOfBirth)')
        .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length)
      assert.equal(cut, 0, `${width} wide`)
    }
  })

  test('a page that has no clipboard offers no copy', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    const gone = `${api.management}/#/members/01a1fdc8-f6d2-7f0c-9d0a-6c1f5f9f0e11`
    const copy = page.getByRole('button', { name: 'Copy Track id' })
    await page.goto(gone)
    await copy.waitFor()
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'))
    await page.reload()
    await page.getByText('Track id').waitFor()
    assert.equal(await copy.count(), 0)
  })

  test('a missing member is reported with the track id of the request', async (t) => {
    const { page } = await open(t, () => 'members/nobody')
    await page.getByText('Specified member not found. member id : nobody').waitFor()
    await page.getByText(/^[0-9a-f]{32}$/).waitFor()
    await page.waitForFunction(() => document.title === 'There is no such member · Rollcall')
  })
})

/** Fills the form of a new member named Dora Up. */
const fillNew = async (page: Page) => {
  await page.getByLabel('First name').fill('Dora')
  await page.getByLabel('Last name').fill('Up')
  await page.getByRole('radio', { name: 'Woman' }).check()
  await page.getByLabel('Date of birth').fill('1990-12-31')
  await page.getByLabel('E-mail address').fill('dup@example.com')
  await page.getByLabel('Password', { exact: true }).fill('long enough')
}

/** Holds requests by this method back, until the returned function is called. */
const hold = async (page: Page, url: string | RegExp, method: string) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() === method) await released
    await route.continue()
  })
  return release
}

/** Types a letter while the search for the previous one is running, and returns the text of the field soon after. */
const typeDuringSearch = async (element: Element) => {
  const input = element as HTMLInputElement
  const type = (text: string) => {
    input.value = text
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  type('h')
  await pause(182)
  type('hi')
  await pause(100)
  return input.value
}
