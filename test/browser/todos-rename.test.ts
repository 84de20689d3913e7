import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { assertAsksBeforeLeaving, mergePatch, titles } from './console.ts'

after(closeBrowser)

const open = async (t: TestContext, todoTitle = 'Milk') => {
  const api = await startApp(t)
  const { todoId } = (await api('POST /todos', { todoTitle })).body as { todoId: string }
  const page = await openPage(t, `${api.management}/#/todos`)
  await page.getByRole('button', { name: `Rename “${todoTitle}”` }).click()
  const renameElsewhere = (to: string) => api(`PATCH /todos/${todoId}`, { todoTitle: to }, mergePatch)
  return { api, page, todoId, renameElsewhere }
}

const fieldOf = (page: Page) => page.getByLabel('New title')

suite('the rename of a todo', { skip }, () => {
  test('keeps the lines of a title', async (t) => {
    const { api, page } = await open(t, 'Milk\nand oats')
    await fieldOf(page).press('Control+End')
    await fieldOf(page).pressSequentially('!')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Rename “Milk and oats!”' }).waitFor()
    assert.deepEqual(await titles(api), ['○ Milk\nand oats!'])
  })

  test('replaces a title by somebody else only after the user has seen that title; if somebody finishes the todo meanwhile, there is no conflict', async (t) => {
    const { api, page, todoId, renameElsewhere } = await open(t)
    await fieldOf(page).fill('Oat milk')
    await renameElsewhere('Soy milk')
    await page.keyboard.press('Enter')
    const theirs = page.getByRole('alert').getByText('Somebody else has renamed this to “Soy milk”.')
    await theirs.waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'Oat milk')
    assert.deepEqual(await titles(api), ['○ Soy milk'])
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rename “Soy milk”' }).and(page.locator(':focus')).waitFor()

    await page.keyboard.press('Enter')
    await fieldOf(page).fill('Rice milk')
    await renameElsewhere('Nut milk')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('“Nut milk”').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename “Rice milk”' }).waitFor()
    assert.deepEqual(await titles(api), ['○ Rice milk'])

    let patches = 0
    await page.route(`**/todos/${todoId}`, async (route) => {
      if (route.request().method() === 'PATCH') {
        patches += 1
        if (patches === 1) await api(`PUT /todos/${todoId}`)
        if (patches === 3) await renameElsewhere('Soy milk')
      }
      await route.continue()
    })
    await page.getByRole('button', { name: 'Rename “Rice milk”' }).click()
    await fieldOf(page).fill('Oat milk')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Rename “Oat milk”' }).waitFor()
    assert.deepEqual([patches, ...(await titles(api))], [2, '✓ Oat milk'])

    await page.getByRole('button', { name: 'Rename “Oat milk”' }).click()
    await fieldOf(page).fill('Goat milk')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('“Soy milk”').waitFor()
    assert.deepEqual([patches, ...(await titles(api))], [3, '✓ Soy milk'])
  })

  test('asks before a filter or a reload discards the typed title; if the rename fails after that, a note names the title', async (t) => {
    const { page, todoId } = await open(t)
    await fieldOf(page).fill('Oat milk')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await assertAsksBeforeLeaving(page)
    await page.getByRole('radio', { name: 'Open' }).click()
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('radio', { name: 'All', checked: true }).waitFor()
    assert.equal(await fieldOf(page).inputValue(), 'Oat milk')
    await page.getByRole('radio', { name: 'Open' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('radio', { name: 'Open', checked: true }).waitFor()
    await fieldOf(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Rename “Milk”' }).click()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()

    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(`**/todos/${todoId}`, async (route) => {
      await released
      await route.fulfill({ status: 500, headers: { 'X-Track': 'x' }, json: {} })
    })
    await page.goBack()
    await page.getByRole('button', { name: 'Rename “Milk”' }).click()
    await fieldOf(page).fill('Oat milk')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor()
    release()
    await page.getByRole('log').getByText('“Milk” was not renamed to “Oat milk”.').waitFor()
  })
})
