import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip } from './browser.ts'
import {
  assertAsksBeforeLeaving,
  holdRequests,
  openConsole,
  titles,
  untilPainted,
  waitForAnswer,
} from './console.ts'

after(closeBrowser)

const fieldOf = (page: Page) => page.getByLabel('What needs to be done?')

const add = async (page: Page, title: string) => {
  await fieldOf(page).fill(title)
  await page.keyboard.press('Enter')
}

/** The answer by which the service refuses a title. */
const refuse = (route: Route) =>
  route.fulfill({
    status: 400,
    headers: { 'X-Track': 'refused' },
    json: {
      code: 'e.xx.fw.4001',
      message: 'Invalid.',
      details: [
        { code: 'Pattern', target: 'todoTitle', message: '"todoTitle" has a value that is not allowed.' },
      ],
    },
  })

const badText = 'This value is not allowed, or contains a character that cannot be stored.'

const isPosted = (page: Page, title: string) =>
  page.waitForRequest(
    (request) => request.method() === 'POST' && request.postData()?.includes(title) === true,
  )

const onPost = (page: Page, answer: (route: Route) => Promise<void>) =>
  page.route('**/api/v1/todos', (route) =>
    route.request().method() === 'POST' ? answer(route) : route.fallback(),
  )

/** Refuses the titles that are sent from now on, once the returned function is called. */
const refuseLate = async (page: Page) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await onPost(page, async (route) => {
    await released
    await refuse(route)
  })
  return release
}

suite('the typed text of a todo is kept', { skip }, () => {
  test('A late refusal shows a notice and puts the title back.', async (t) => {
    const { page } = await openConsole(t, 'todos')
    const send = async (title: string) => {
      const posted = isPosted(page, title)
      await add(page, title)
      await posted
    }
    const log = page.getByRole('log')
    const field = fieldOf(page)
    const alert = page.getByRole('alert').getByText(badText)
    const refuseBoth = await refuseLate(page)
    await send('first')
    await send('second')
    await field.fill('Milk')
    refuseBoth()
    await log.getByText('“first” was not added.').waitFor()
    await log.getByText('“second” was not added.').waitFor()
    await log.getByText(badText).waitFor()
    assert.equal(await field.inputValue(), 'Milk')
    assert.equal(await alert.count(), 0)
    assert.equal(await field.getAttribute('aria-invalid'), 'false')

    const refuseThird = await refuseLate(page)
    await send('third')
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
    refuseThird()
    await log.getByText('“third” was not added.').waitFor()
    await page.getByRole('link', { name: 'Todos' }).click()
    await alert.waitFor()
    assert.equal(await field.inputValue(), 'third')
  })

  test('the notes name every todo that was not added, and do not cover the field on a phone', async (t) => {
    const { page } = await openConsole(t, 'todos', { viewport: { width: 360, height: 640 } })
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

  test('if the answer to a new todo is lost, Enter adds the same title only once, and a new title as another todo', async (t) => {
    const { api, page } = await openConsole(t, 'todos')
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
    const release = await holdRequests(page, '**/api/v1/todos', 'POST')
    const isSentAgain = isPosted(page, 'Milk')
    await fieldOf(page).press('Enter')
    await isSentAgain
    await untilPainted(page)
    assert.equal(await added.count(), 1)
    const answered = waitForAnswer(page, 'POST')
    release()
    await answered
    await untilPainted(page)
    assert.equal(await added.count(), 1)
    await page.unroute('**/api/v1/todos')
    assert.deepEqual(await titles(api), ['○ Milk'])

    await onPost(page, (route) => route.abort())
    await add(page, 'Bread')
    await page.getByRole('log').getByText('“Bread” may not').waitFor()
    await page.unroute('**/api/v1/todos')
    await page.keyboard.type('Butter')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Finish “Butter”', disabled: false }).waitFor()
    assert.equal(await page.getByRole('log').getByText('“Bread” may not').count(), 1)
    assert.deepEqual(await titles(api), ['○ Milk', '○ Butter'])
  })

  test('typed text is still there when the user returns, and a reload must be confirmed until the todo is added', async (t) => {
    const { page } = await openConsole(t, 'todos')
    await fieldOf(page).fill('half a tho')
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
    await assertAsksBeforeLeaving(page)
    await page.goBack()
    await fieldOf(page).waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'half a tho')
    await fieldOf(page).fill('')
    await page.reload()
    await page.getByText('Nothing to do').waitFor()

    const release = await holdRequests(page, '**/api/v1/todos', 'POST')
    const posted = isPosted(page, 'Milk')
    await add(page, 'Milk')
    await posted
    await assertAsksBeforeLeaving(page)
    release()
    await page.getByRole('button', { name: 'Finish “Milk”', disabled: false }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Finish “Milk”' }).waitFor()
  })
})
