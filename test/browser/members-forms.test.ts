import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { assertHeldOpen } from './held-open.ts'
import { create, fillNew, hold, open } from './members.ts'

after(closeBrowser)

suite('forms of members in the console', { skip }, () => {
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

  test('a late success does not navigate away from a form opened since', async (t) => {
    const { api, page } = await open(t, (id) => `members/${id}/edit`)
    const release = await hold(page, /members\/.+/, 'PUT')
    await page.getByLabel('First name').fill('Johnny')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.evaluate(() => location.assign('#/members/new'))
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'New member' }).waitFor()
    await page.getByLabel('First name').fill('Ada')
    release()
    await page.getByText('Johnny Smith is saved').waitFor()
    assert.equal(page.url(), `${api.management}/#/members/new`)
    assert.equal(await page.getByLabel('First name').inputValue(), 'Ada')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

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
})
