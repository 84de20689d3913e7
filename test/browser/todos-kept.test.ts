import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { assertHeldOpen } from './held-open.ts'
import { hold, painted, titles } from './todos.ts'

after(closeBrowser)

const fieldOf = (page: Page) => page.getByLabel('What needs to be done?')

const add = async (page: Page, title: string) => {
  await fieldOf(page).fill(title)
  await page.keyboard.press('Enter')
}

/** As the service refuses a title. */
const refuse = (route: Route) =>
  route.fulfill({
    status: 400,
    headers: { 'X-Track': 'refused' },
    json: {
      code: 'e.xx.fw.4001',
      message: 'Invalid.',
      details: [{ code: 'Pattern', target: 'todoTitle', message: 'todoTitle is malformed' }],
    },
  })

const badText = 'This contains a character that cannot be stored.'

const isPosted = (page: Page, title: string) =>
  page.waitForRequest(
    (request) => request.method() === 'POST' && request.postData()?.includes(title) === true,
  )

const onPost = (page: Page, answer: (route: Route) => Promise<void>) =>
  page.route('**/api/v1/todos', (route) =>
    route.request().method() === 'POST' ? answer(route) : route.fallback(),
  )

/** A page that has sent these titles, which will be refused. */
const refusedLate = async (t: TestContext, sent: readonly string[]) => {
  const api = await startApp(t)
  const page = await openPage(t, `${api.management}/#/todos`)
  const { released, release } = hold()
  await onPost(page, async (route) => {
    await released
    await refuse(route)
  })
  for (const title of sent) {
    const posted = isPosted(page, title)
    await add(page, title)
    await posted
  }
  return { page, release }
}

suite('what is typed for a todo is kept', { skip }, () => {
  test('a title refused late is named in a note if the field is in use', async (t) => {
    const { page, release } = await refusedLate(t, ['first', 'second'])
    await fieldOf(page).fill('Milk')
    release()
    const log = page.getByRole('log')
    await log.getByText('“first” was not added.').waitFor()
    await log.getByText('“second” was not added.').waitFor()
    await log.getByText(badText).waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'Milk')
    assert.equal(await page.getByRole('alert').getByText(badText).count(), 0)
    assert.equal(await fieldOf(page).getAttribute('aria-invalid'), 'false')
  })

  test('a title refused after the page was left is named in a note, and is in the field on return', async (t) => {
    const { page, release } = await refusedLate(t, ['first'])
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
    release()
    await page.getByRole('log').getByText('“first” was not added.').waitFor()
    await page.getByRole('link', { name: 'Todos' }).click()
    await page.getByRole('alert').getByText(badText).waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'first')
  })

  test('a title that comes back just before the next is typed is replaced by it, and stays named', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    const { released, release } = hold()
    await onPost(page, async (route) => {
      await released
      await route.abort()
    })
    await add(page, 'Milk')
    release()
    await page.getByRole('log').getByText('“Milk” may not have been added.').waitFor()
    await page.unroute('**/api/v1/todos')
    await page.keyboard.type('Bread')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “Bread”', disabled: false }).waitFor()
    assert.equal(await page.getByRole('log').getByText('“Milk” may not').count(), 1)
    assert.deepEqual(await titles(api), ['○ Bread'])
  })

  test('however many todos fail, each is named, and the notes leave room on a phone', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`, { viewport: { width: 360, height: 640 } })
    await page.getByText('Nothing to do').waitFor()
    await onPost(page, (route) => route.abort())
    const added = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
    for (const title of added) await add(page, title)
    const log = page.getByRole('log')
    for (const title of added) await log.getByText(`“${title}” may not have been added.`).waitFor()
    assert.equal(await log.getByRole('button', { name: 'Close' }).count(), 1)
    assert.deepEqual(await violationsInBothLights(page), [])

    await page.unroute('**/api/v1/todos')
    for (const status of [400, 403, 404, 409, 500]) {
      await onPost(page, (route) =>
        route.fulfill({ status, headers: { 'X-Track': 'x' }, json: { code: `e.${status}`, message: 'No.' } }),
      )
      await add(page, `with ${status}`)
      await log.getByText(`“with ${status}” was not added.`).waitFor()
    }
    for (const title of added)
      assert.equal(await log.getByText(`“${title}” may not have been added.`).count(), 1)
    const top = await log.evaluate((element) => element.getBoundingClientRect().top)
    const bottom = await fieldOf(page).evaluate((element) => element.getBoundingClientRect().bottom)
    assert.ok(top >= bottom, `the notes begin at ${top}, and the field ends at ${bottom}`)
    for (let open = 6; open > 0; open--) {
      assert.equal(await log.getByRole('button', { name: 'Close' }).count(), open)
      await log.getByRole('button', { name: 'Close' }).first().click()
    }
  })

  test('a title whose answers were lost is added once, however often Enter is pressed', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    const lost = page.getByRole('log').getByText('“Milk” may not have been added.')
    await onPost(page, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await add(page, 'Milk')
    await lost.waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'Milk')
    await page.unroute('**/api/v1/todos')
    const added = page.getByRole('button', { name: 'Finish “Milk”' })
    await added.waitFor()
    const { released, release } = hold()
    await onPost(page, async (route) => {
      await released
      await route.continue()
    })
    const isSentAgain = isPosted(page, 'Milk')
    await fieldOf(page).press('Enter')
    await isSentAgain
    await painted(page)
    assert.equal(await added.count(), 1)
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    release()
    await answered
    await painted(page)
    assert.equal(await added.count(), 1)
    await page.unroute('**/api/v1/todos')
    assert.deepEqual(await titles(api), ['○ Milk'])

    await onPost(page, (route) => route.abort())
    await add(page, 'Bread')
    await page.getByRole('log').getByText('“Bread” may not').waitFor()
    await page.unroute('**/api/v1/todos')
    await add(page, 'Butter')
    await page.getByRole('button', { name: 'Finish “Butter”', disabled: false }).waitFor()
    assert.deepEqual(await titles(api), ['○ Milk', '○ Butter'])
  })

  test('what is typed is there again when the page is come back to, and a reload asks until it is added', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/todos`)
    await fieldOf(page).fill('half a tho')
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
    await assertHeldOpen(page)
    await page.goBack()
    await fieldOf(page).waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'half a tho')
    await fieldOf(page).fill('')
    await page.reload()
    await page.getByText('Nothing to do').waitFor()

    const { released, release } = hold()
    await onPost(page, async (route) => {
      await released
      await route.continue()
    })
    const posted = isPosted(page, 'Milk')
    await add(page, 'Milk')
    await posted
    await assertHeldOpen(page)
    release()
    await page.getByRole('button', { name: 'Finish “Milk”', disabled: false }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Finish “Milk”' }).waitFor()
  })
})
