import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { assertAsksBeforeLeaving, holdRequests, mergePatch } from './console.ts'
import { create, openAt, withSignId } from './members.ts'

after(closeBrowser)

/** Fills the form of a new member named Dora Up. */
const fillNew = async (page: Page, emailAddress: string) => {
  await page.getByLabel('First name').fill('Dora')
  await page.getByLabel('Last name').fill('Up')
  await page.getByRole('radio', { name: 'Woman' }).check()
  await page.getByLabel('Date of birth').fill('1990-12-31')
  await page.getByLabel('E-mail address').fill(emailAddress)
  await page.getByLabel('Password', { exact: true }).fill('long enough')
}

suite('forms of members in the console', { skip }, () => {
  test('a new member with invalid fields is added once they are corrected, and its names are shown in the order of the language', async (t) => {
    const { page } = await openAt(t, () => 'members/new')
    const type = (label: string, text: string) => page.getByLabel(label).fill(text)
    const add = page.getByRole('button', { name: 'Add member' })
    const faulty = page.locator('[aria-invalid=true]')
    const focused = page.locator(':focus')
    const required = page.locator('[aria-required=true]')
    await required.first().waitFor()
    assert.deepEqual(
      await required.evaluateAll((all) => all.map((one) => one.getAttribute('name') ?? one.role)),
      ['firstName', 'lastName', 'radiogroup', 'dateOfBirth', 'emailAddress', 'credential.password'],
    )

    await type('First name', ' Ada\u3000')
    await type('Last name', '   ')
    await page.getByLabel('Date of birth').pressSequentially('02301990')
    await type('E-mail address', 'no address')
    await type('Password', 'short')
    await add.click()
    await page
      .getByRole('textbox', { name: 'Last name', description: 'This is required.' })
      .and(faulty)
      .and(focused)
      .waitFor()
    const gender = page.getByRole('radiogroup', { name: 'Gender', description: 'This is required.' })
    await gender.and(faulty).waitFor()
    await page
      .getByRole('textbox', { name: 'E-mail address', description: /^This is not an e-mail/ })
      .waitFor()
    await page.getByText('8 to 128 characters.').waitFor()
    await page.getByText('There is no such date.').waitFor()

    const order = () =>
      page
        .locator('input.input[name]')
        .evaluateAll((all) => all.slice(0, 2).map((one) => one.getAttribute('name')))
    const japanese = page.getByRole('radio', { name: '日本語' })
    await japanese.check()
    await page.getByText('そのような日付はありません。').waitFor()
    await page.getByText('必須の項目です。').first().waitFor()
    await japanese.and(focused).waitFor()
    assert.deepEqual(await order(), ['lastName', 'firstName'])
    await page.getByRole('radio', { name: 'English' }).check()
    assert.deepEqual(await order(), ['firstName', 'lastName'])

    const lastName = page.getByLabel('Last name')
    await lastName.fill(' Love  lace ')
    assert.equal(await lastName.getAttribute('aria-invalid'), 'false')
    await type('Date of birth', '9999-12-31')
    await type('E-mail address', ' ada@example.com ')
    await type('Sign id', 'john.smith@example.com')
    const password = page.getByLabel('Password')
    const eye = page.getByRole('button', { name: 'Show “Password”' })
    await password.fill('  demodemo  ')
    await eye.press('Enter')
    await eye.and(page.locator('[aria-pressed=true]:focus')).waitFor()
    assert.deepEqual(
      [await password.getAttribute('type'), await password.inputValue()],
      ['text', '  demodemo  '],
    )
    await eye.press('Space')
    await eye.and(page.locator('[aria-pressed=false]')).waitFor()
    assert.equal(await password.getAttribute('type'), 'password')

    await add.click()
    await gender.getByRole('radio').and(focused).waitFor()
    await page.getByRole('radio', { name: 'Woman' }).check()
    await page.getByText('This must be before today.').waitFor()
    await type('Date of birth', '1815-12-10')
    await add.click()
    const taken = /john.smith@example.com is taken. Choose another sign id.$/
    await page
      .getByRole('textbox', { name: 'Sign id', description: taken })
      .and(faulty)
      .and(focused)
      .waitFor()
    await type('Sign id', ' ada ')
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await add.click()
    assert.partialDeepStrictEqual((await sent).postDataJSON(), {
      firstName: 'Ada',
      lastName: 'Love  lace',
      emailAddress: 'ada@example.com',
      credential: { signId: 'ada', password: '  demodemo  ' },
    })
    await page.getByRole('heading', { name: 'Ada Love lace' }).waitFor()
    await page.getByText('Dec 10, 1815').waitFor()
    await japanese.check()
    await page.getByRole('heading', { name: 'Love lace Ada' }).waitFor()
    assert.deepEqual((await page.locator('dt').allTextContents()).slice(0, 2), ['姓', '名'])
  })

  test('an edit leaves untouched fields unchanged: white space, null and the empty string', async (t) => {
    const api = await startApp(t)
    const untouched = { firstName: ' John', telephoneNumber: null, zipCode: '' }
    const { memberId } = await create(api, { ...john, ...untouched })
    const page = await openPage(t, `${api.management}/#/members/${memberId}/edit`)
    await page.getByLabel('Last name').fill('Jones ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'John Jones' }).waitFor()
    const { body } = await api(`GET /members/${memberId}`)
    assert.partialDeepStrictEqual(body, { ...untouched, lastName: 'Jones' })
  })

  test('An edit can be undone, unless somebody else has changed the same field since.', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}/edit`)
    const addressNow = async () =>
      ((await api(`GET /members/${memberId}`)).body as { address: string }).address
    const before = await addressNow()
    // Nothing from the feed: the page must show its own changes without it.
    await page.route('**/api/v1/changes?*wait=*', () => undefined)
    await page.getByLabel('Address', { exact: true }).fill('Elsewhere')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is saved').waitFor()
    await api(`PATCH /members/${memberId}`, { zipCode: '1' }, mergePatch)
    await page.keyboard.press('u')
    await page.getByText('is as it was before').waitFor()
    assert.equal(await addressNow(), before)
    await page.locator('dd').getByText(before).waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Address', { exact: true }).fill('Elsewhere')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is saved').waitFor()
    await api(`PATCH /members/${memberId}`, { address: 'Theirs' }, mergePatch)
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Put this version back' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('u')
    await page.getByText('was not changed back').waitFor()
    assert.equal(await addressNow(), 'Theirs')
  })

  test('if the answer to a form is lost, the form says that the record may not have been saved, until it is sent again', async (t) => {
    const { page } = await openAt(t, (id) => `members/${id}/edit`)
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

  test('a new member is added only once even if the answer was lost; a note says that the sign id in use may be that of this member', async (t) => {
    const { api, page } = await openAt(t, () => 'members/new')
    const keys: (string | undefined)[] = []
    // Of four attempts the first is carried out, and the last is answered.
    await page.route('**/api/v1/members', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length % 4 === 0) return route.continue()
      if (keys.length % 4 === 1) await route.fetch()
      await route.abort()
    })
    const add = page.getByRole('button', { name: 'Add member' })
    const alert = page.getByRole('alert')
    await fillNew(page, 'dup@example.com')
    await add.click()
    await alert.getByText('The member may have been added').waitFor()
    await add.click()
    await page.getByText('Dora Up is on the roll').waitFor()
    assert.equal(keys.length, 4)
    assert.equal(new Set(keys).size, 1)
    assert.equal(((await api('GET /members')).body as unknown[]).length, 2)

    await page.goto(`${api.management}/#/members/new`)
    await fillNew(page, 'other@example.com')
    await add.click()
    await alert.getByText('The member may have been added').waitFor()
    await page.getByLabel('Address', { exact: true }).fill('Osaka')
    await add.click()
    await alert.getByText('may have this sign id already').waitFor()
  })

  test('right-to-left names keep their direction, invisible names are shown as (empty), and print hides the controls', async (t) => {
    const api = await startApp(t)
    await create(api, withSignId('b', { ...john, firstName: '\u200b', lastName: ' ' }))
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

  test('a form that is being sent accepts no input and keeps the focus; when it succeeds, a form opened meanwhile stays open', async (t) => {
    const { api, page } = await openAt(t, (id) => `members/${id}/edit`)
    const release = await holdRequests(page, /members\/.+/, 'PUT')
    const name = page.getByLabel('First name')
    await name.fill('Johnny')
    await name.press('Enter')
    await page.locator('form[aria-busy=true]').waitFor()
    await page.keyboard.type(' late')
    await name.and(page.locator(':focus')).waitFor()
    await page.getByRole('radio', { name: 'Woman' }).click({ force: true })
    assert.equal(await name.inputValue(), 'Johnny')
    assert.equal(await page.getByRole('radio', { name: 'Man', exact: true }).isChecked(), true)
    await page.evaluate(() => location.assign('#/members/new'))
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'New member' }).waitFor()
    await name.fill('Ada')
    release()
    await page.getByText('Johnny Smith is saved').waitFor()
    assert.equal(page.url(), `${api.management}/#/members/new`)
    assert.equal(await name.inputValue(), 'Ada')
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('leaving unsaved changes asks for confirmation, whether by link, Back or reload', async (t) => {
    const { page, memberId } = await openAt(t, (id) => `members/${id}`)
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
    await assertAsksBeforeLeaving(page)
    await page.goBack()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(`**/#/members/${memberId}`)
    await page.goForward()
    await page.getByRole('heading', { name: 'Edit John Smith' }).waitFor()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'John Smith', exact: true }).waitFor()
  })
})
