import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { people } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { saveList, widthOf } from './console.ts'
import { create, shownNames } from './members.ts'

after(closeBrowser)

/** The list of all people, two on a page. Aiko is an administrator. */
const openList = async (t: TestContext, query = '', options = {}) => {
  const api = await startApp(t, { PAGE_SIZE_MAX: '2' })
  const ids: string[] = []
  for (const person of people) ids.push((await create(api, person)).memberId)
  await api(`PUT /members/${ids[0]}/role`, { role: 'administrator' })
  const page = await openPage(t, `${api.management}/#/members${query}`, options)
  return { api, page, ids }
}

const counted = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true })

const headings = (page: Page) => page.locator('thead th:visible').allTextContents()

/** The first names in the file that this button saves. */
const savedNames = async (page: Page, button?: string) => {
  const [, ...rows] = (await textOf(await saveList(page, 'Exact', button))).trim().split('\r\n')
  return rows.map((row) => row.split(',')[1])
}

suite('the filters and the view of the list of members', { skip }, () => {
  test('filters apply to the list, the count, the download and the selection, are in the address, and are undone by Back', async (t) => {
    const { page } = await openList(t)
    await page.getByRole('combobox', { name: 'Gender' }).selectOption('Woman')
    await counted(page, '4 members').waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Select all 4' }).click()
    await page.getByText('4 selected').waitFor()
    assert.equal((await savedNames(page, 'Export these')).length, 4)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('3–4 of 4').waitFor()
    const asked = new Set<string | null>()
    page.on('request', (request) => asked.add(new URL(request.url()).searchParams.get('bornFrom')))
    await page.getByLabel('Born from').pressSequentially('01011970')
    await page.getByText('4 selected').waitFor({ state: 'detached' })
    await counted(page, '3 members').waitFor()
    asked.delete(null)
    assert.deepEqual([...asked], ['1970-01-01'])
    await page.getByLabel('Born before').fill('1976-09-18')
    await counted(page, '1 member').waitFor()
    const address = '**/#/members?genderCode=2&bornFrom=1970-01-01&bornTo='
    await page.waitForURL(`${address}1976-09-18`)
    await page.getByLabel('Born before').fill('1976-09-19')
    await page.getByRole('button', { name: 'Name' }).click()
    await page.waitForURL(`${address}1976-09-19&sort=lastName%2Casc`)
    await page.reload()
    await counted(page, '2 members').waitFor()
    assert.deepEqual(await shownNames(page), ['Farid Haddad', 'Ingrid Larsen'])
    assert.equal(await page.getByLabel('Born from').inputValue(), '1970-01-01')
    assert.deepEqual(await savedNames(page), ['Farid', 'Ingrid'])
    await page.getByRole('link', { name: 'Farid Haddad' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Members' }).click()
    await counted(page, '2 members').waitFor()
    await page.getByRole('combobox', { name: 'Gender' }).selectOption('All')
    await counted(page, '4 members').waitFor()
    await page.goBack()
    await counted(page, '2 members').waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Gender' }).inputValue(), '2')
    await page.getByRole('link', { name: 'Clear filters' }).press('Enter')
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()
    await counted(page, '13 members').waitFor()
    await page.waitForURL('**/#/members?sort=lastName%2Casc')
  })

  test('If nobody matches, the filters can be cleared; a search keeps them; an unknown filter is reported.', async (t) => {
    const { api, page } = await openList(t, '?role=administrator&bornTo=1990-01-01&genderCode=0')
    const clear = page.getByRole('link', { name: 'Clear filters' }).last()
    await counted(page, '1 member').waitFor()
    assert.deepEqual(await shownNames(page), ['Aiko Tanaka'])
    await page.getByRole('combobox', { name: 'Role' }).selectOption('Suspended')
    await page.getByText('Nobody matches the filters').waitFor()
    await page.getByRole('searchbox').fill('a')
    await page.waitForURL('**/#/members?name=a&genderCode=0&role=suspended&bornTo=1990-01-01')
    assert.equal(await page.getByRole('combobox', { name: 'Role' }).inputValue(), 'suspended')
    assert.equal(await page.getByLabel('Born before').inputValue(), '1990-01-01')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('All')
    await page.getByLabel('Born before').fill('')
    await counted(page, '5 members with “a”').waitFor()
    await page.getByRole('searchbox').fill('chiara')
    await page.getByText('Nobody found for “chiara”').waitFor()
    await clear.click()
    await counted(page, '1 member with “chiara”').waitFor()
    assert.deepEqual(await savedNames(page), ['Chiara'])
    await page.getByRole('searchbox').fill('')
    await counted(page, '13 members').waitFor()
    await page.getByRole('combobox', { name: 'Role' }).selectOption('Administrator')
    await counted(page, '1 member').waitFor()
    await page.goto(`${api.management}/#/members?genderCode=7`)
    await page.getByText('The address asks for a list that does not exist.').waitFor()
    await page.getByRole('link', { name: 'Reset the list' }).press('Enter')
    await counted(page, '13 members').waitFor()
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()
  })

  test('columns and density are chosen, remembered, and followed by other tabs', async (t) => {
    const { api, page } = await openList(t)
    await page.getByRole('link', { name: 'Maria Nowak' }).waitFor()
    assert.deepEqual(await headings(page), ['Name', 'E-mail', 'Born', 'Telephone', 'Since'])
    const height = () =>
      page
        .locator('tbody tr')
        .first()
        .evaluate((row) => row.clientHeight)
    const dense = await height()
    const other = await page.context().newPage()
    await other.goto(`${api.management}/#/members`)
    await other.getByRole('link', { name: 'Maria Nowak' }).waitFor()
    await page.getByText('View', { exact: true }).click()
    for (const name of ['E-mail', 'Born']) await page.getByRole('checkbox', { name }).uncheck()
    await page.getByRole('radio', { name: 'Roomy' }).check()
    assert.deepEqual(await violationsInBothLights(page), [])
    await other.getByRole('columnheader', { name: 'E-mail' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('link', { name: 'Maria Nowak' }).waitFor()
    assert.deepEqual(await headings(page), ['Name', 'Telephone', 'Since'])
    assert.equal(await page.getByRole('link', { name: 'Maria.Nowak@example.com' }).isVisible(), false)
    assert.ok((await height()) > dense + 10)
    await page.getByText('View', { exact: true }).press('Enter')
    await page.locator('summary:focus').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('radio', { name: 'Roomy' }).waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    for (const name of ['Telephone', 'Since']) await page.getByRole('checkbox', { name }).uncheck()
    await other.getByRole('columnheader', { name: 'Since' }).waitFor({ state: 'detached' })
    assert.deepEqual(await headings(other), ['Name'])
  })

  test('The role of each member is a column, and follows a change of the role.', async (t) => {
    const { api, page, ids } = await openList(t)
    const give = (role: string) => api(`PUT /members/${ids.at(-1)}/role`, { role })
    await give('administrator')
    await page.getByText('View', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Role' }).check()
    const cell = (role: string) => page.locator('td.col-role').getByText(role, { exact: true })
    await cell('Administrator').waitFor()
    assert.equal(await cell('Member').count(), 1)
    await give('suspended')
    await cell('Suspended').waitFor()
  })

  test('A link to the list has its columns beside its filters and its order.', async (t) => {
    const { api, page } = await openList(t)
    await page.goto(`${api.management}/#/members?genderCode=2&sort=lastName`)
    await page.getByText('View', { exact: true }).click()
    for (const name of ['E-mail', 'Telephone']) await page.getByRole('checkbox', { name }).uncheck()
    const link = page.getByRole('link', { name: 'Link to this list' })
    const address = (await link.getAttribute('href')) ?? ''
    assert.match(address, /columns=dateOfBirth%2CcreatedAt/)
    await page.getByRole('checkbox', { name: 'E-mail' }).check()
    const other = await page.context().browser()?.newPage()
    if (!other) throw new Error('the browser is gone')
    t.after(() => other.close())
    await other.goto(`${api.management}/${address}`)
    await other.getByRole('columnheader', { name: 'Born' }).waitFor()
    assert.deepEqual(await headings(other), ['Last name', 'Born', 'Since'])
    await other.getByText('View', { exact: true }).click()
    await other.getByRole('checkbox', { name: 'Born' }).uncheck()
    await other.getByRole('columnheader', { name: 'Born' }).waitFor({ state: 'detached' })
    assert.equal(new URL(other.url()).hash.includes('columns'), false)
  })

  test('on a phone, the filters and every choice of columns fit', async (t) => {
    const { page } = await openList(t, '', { viewport: { width: 360, height: 740 } })
    await page.getByRole('link', { name: 'Maria Nowak' }).waitFor()
    assert.equal(await page.getByLabel('Born from').count(), 0, 'The filters leave room for the members.')
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Born from').fill('1960-01-01')
    await counted(page, '13 members').waitFor()
    await page.getByText('View', { exact: true }).click()
    assert.equal(await widthOf(page), 360)
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByRole('checkbox', { name: 'E-mail' }).uncheck()
    await page.locator('td.col-telephoneNumber').first().waitFor()
    await page.locator('td.col-dateOfBirth').first().waitFor()
    assert.equal(await widthOf(page), 360)
  })
})
