import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Api } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { mergePatch } from './console.ts'
import { openMany } from './members.ts'

after(closeBrowser)

const row = (page: Page, number: number) => page.getByRole('row', { name: `${number} Smith` })
const link = (page: Page, number: number) => page.getByRole('link', { name: `${number} Smith`, exact: true })
const focused = (page: Page, number: number) => link(page, number).and(page.locator(':focus')).waitFor()
const panelOf = (page: Page, number: number) => page.getByRole('complementary', { name: `${number} Smith` })

const stored = async (api: Api, id: string | undefined, field: string) =>
  ((await api(`GET /members/${id}`)).body as Record<string, unknown>)[field]

suite('a record beside its list', { skip }, () => {
  test('A click on a row opens its record beside the list, where keys open the next record, edit the record and close it.', async (t) => {
    const { api, page, ids } = await openMany(t, 3)
    await row(page, 3).locator('.col-dateOfBirth').click()
    await panelOf(page, 3).getByText('Sign-in', { exact: true }).waitFor()
    await panelOf(page, 3).getByLabel('Role').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByRole('checkbox', { name: 'Select 3 Smith' }).check()
    await page.getByRole('button', { name: 'Select none' }).click()
    await page.emulateMedia({ media: 'print' })
    assert.equal(await panelOf(page, 3).isVisible(), false)
    await page.emulateMedia({ media: 'screen' })
    await panelOf(page, 3).getByRole('heading', { level: 2 }).first().click()
    await page.keyboard.press('j')
    await panelOf(page, 2).getByText('Sign-in', { exact: true }).waitFor()
    await page.keyboard.press('e')
    await panelOf(page, 2).getByLabel('Address', { exact: true }).fill('Kyoto')
    await api(`PATCH /members/${ids[1]}`, { address: 'Nara' }, mergePatch)
    await page.keyboard.press('Control+s')
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this record' })
    await dialog.getByRole('button', { name: 'Save my choice' }).click()
    await page.getByText('2 Smith is saved').waitFor()
    assert.equal(await stored(api, ids[1], 'address'), 'Kyoto')
    await panelOf(page, 2).getByRole('link', { name: 'Open as a page' }).waitFor()
    await page.keyboard.press('Escape')
    await panelOf(page, 2).waitFor({ state: 'detached' })
    await focused(page, 2)
    await page.keyboard.press('j')
    await page.keyboard.press('Space')
    await panelOf(page, 1).getByRole('link', { name: 'Open as a page' }).click()
    await page.waitForURL(`**/#/members/${ids[0]}`)
  })

  test('On a phone a record opens as a page, also from an address with the record beside its list.', async (t) => {
    const { api, ids } = await openMany(t, 1)
    const page = await openPage(t, `${api.management}/#/members`, { viewport: { width: 375, height: 700 } })
    await row(page, 1).locator('.col-createdAt').click()
    await page.waitForURL(`**/#/members/${ids[0]}`)
    await page.goto(`${api.management}/#/members?open=${ids[0]}`)
    await page.waitForURL(`**/#/members/${ids[0]}`)
  })
})

suite('fields edited in their list', { skip }, () => {
  test('Enter and Tab save a field in place, Escape cancels, and u undoes the change.', async (t) => {
    const { api, page, ids } = await openMany(t, 2)
    const input = (label: string) => page.getByLabel(label, { exact: true }).and(page.locator('td *'))
    for (const key of ['j', 'e']) await page.keyboard.press(key)
    await input('E-mail address').fill('two@example.com')
    await page.keyboard.press('Tab')
    await input('Date of birth').and(page.locator(':focus')).waitFor()
    assert.equal(await stored(api, ids[1], 'emailAddress'), 'two@example.com')
    await page.keyboard.press('Tab')
    await input('Telephone number').fill('555')
    await page.keyboard.press('Enter')
    await focused(page, 2)
    assert.equal(await stored(api, ids[1], 'telephoneNumber'), '555')
    await row(page, 2).getByText('555').waitFor()
    await page.keyboard.press('F2')
    await input('E-mail address').fill('other@example.com')
    await page.keyboard.press('Escape')
    await focused(page, 2)
    await row(page, 2).getByText('two@example.com').waitFor()
    for (const key of ['u', 'u']) await page.keyboard.press(key)
    while ((await stored(api, ids[1], 'emailAddress')) === 'two@example.com') await page.waitForTimeout(50)
    assert.notEqual(await stored(api, ids[1], 'telephoneNumber'), '555')
    await row(page, 2).getByText('two@example.com').waitFor({ state: 'detached' })
    await focused(page, 2)
  })

  test('A refused value stays in its cell with the reason; if somebody changed the field first, both versions are shown.', async (t) => {
    const { api, page, ids } = await openMany(t, 2)
    await row(page, 1).locator('.col-emailAddress').hover()
    await row(page, 1).locator('.col-emailAddress .cell-pencil').click()
    const input = page.getByLabel('E-mail address', { exact: true })
    await input.fill('nothing')
    await page.keyboard.press('Enter')
    await page.getByText('This is not an e-mail address.').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await api(`PATCH /members/${ids[0]}`, { emailAddress: 'theirs@example.com', zipCode: '9' }, mergePatch)
    await input.fill('mine@example.com')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Somebody else changed this record' })
    await dialog.getByLabel('E-mail address, Stored now: theirs@example.com').waitFor()
    await dialog.getByRole('button', { name: 'Save my choice' }).click()
    await page.getByText('1 Smith is saved').waitFor()
    assert.deepEqual(
      [await stored(api, ids[0], 'emailAddress'), await stored(api, ids[0], 'zipCode')],
      ['mine@example.com', '9'],
    )
  })
})
