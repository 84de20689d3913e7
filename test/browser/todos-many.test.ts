import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { titles } from './console.ts'
import { create, withSignId } from './members.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

const openTodos = async (t: TestContext, path: string) => {
  const api = await startApp(t)
  for (const todoTitle of ['Buy milk', 'Buy bread', 'Call Ann', 'Old', 'Older']) {
    const { body } = await api('POST /todos', { todoTitle })
    if (todoTitle.startsWith('Old')) await api(`PUT /todos/${(body as { todoId: string }).todoId}`)
  }
  return { api, page: await openPage(t, `${api.management}/#/${path}`) }
}

const shown = (page: Page) => page.locator('.todo-title').allTextContents()

suite('many todos in the console', { skip }, () => {
  test('open todos stand first, the filters show counts, the search finds parts of a title, and the address has all of this', async (t) => {
    const { page } = await openTodos(t, 'todos')
    for (const name of ['All 5', 'Open 3', 'Finished 2']) await page.getByRole('radio', { name }).waitFor()
    assert.deepEqual(await shown(page), ['Call Ann', 'Buy bread', 'Buy milk', 'Older', 'Old'])
    const search = page.getByRole('searchbox', { name: 'Search todos' })
    await page.keyboard.press('n')
    await page.getByLabel('What needs to be done?').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await search.and(page.locator(':focus')).waitFor()
    await search.fill('ＢＵＹ')
    await page.getByRole('radio', { name: 'Open 2' }).waitFor()
    assert.deepEqual(await shown(page), ['Buy bread', 'Buy milk'])
    await page.reload()
    await page.getByRole('radio', { name: 'All 2' }).waitFor()
    await search.fill('nothing')
    await page.getByText('No todo found for “nothing”').waitFor()
    await page.getByRole('link', { name: 'Clear the search' }).click()
    await page.getByRole('radio', { name: 'All 5' }).waitFor()
    await page.getByRole('radio', { name: 'Finished 2' }).check()
    await page.getByText('Buy milk').waitFor({ state: 'detached' })
    assert.match(page.url(), /show=finished/)
    await page.reload()
    await page.getByRole('radio', { name: 'Finished 2', checked: true }).waitFor()
    assert.deepEqual(await shown(page), ['Older', 'Old'])
    await page.getByLabel('What needs to be done?').fill('Tea')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('“Tea” is among the open todos').waitFor()
    assert.deepEqual(await shown(page), ['Older', 'Old'])
  })

  test('all open todos that match are finished at once, and Undo reopens them', async (t) => {
    const { api, page } = await openTodos(t, 'todos?show=open&title=buy')
    await page.getByRole('button', { name: 'Finish all' }).click()
    await page.getByRole('log').getByText('2 finished').waitFor()
    await page.getByText('No todo found for “buy”').waitFor()
    assert.deepEqual(await titles(api), ['✓ Buy milk', '✓ Buy bread', '○ Call Ann', '✓ Old', '✓ Older'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('log').getByText('2 reopened').waitFor()
    await page.getByText('Buy milk').waitFor()
    assert.deepEqual(await titles(api), ['○ Buy milk', '○ Buy bread', '○ Call Ann', '✓ Old', '✓ Older'])
  })

  test('finished todos are deleted together, after a question, and Undo restores them', async (t) => {
    const { api, page } = await openTodos(t, 'todos')
    const clear = page.getByRole('button', { name: 'Clear finished' })
    await clear.click()
    const dialog = page.getByRole('dialog', { name: 'Delete 2?' })
    await dialog.getByText('Older, Old').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('log').getByText('2 deleted').waitFor()
    assert.deepEqual(await shown(page), ['Call Ann', 'Buy bread', 'Buy milk'])
    assert.equal((await titles(api)).length, 3)
    await clear.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('log').getByText('2 restored').waitFor()
    await page.getByRole('radio', { name: 'Finished 2' }).waitFor()
    assert.deepEqual(await titles(api), ['○ Buy milk', '○ Buy bread', '○ Call Ann', '✓ Old', '✓ Older'])
  })

  test('A member may not restore todos, so Undo adds them again and finishes those that were finished.', async (t) => {
    const api = await startApp(t, basic)
    await create(api, withSignId('jane'), asAdmin)
    const asJane = { Authorization: `Basic ${btoa('jane:demodemo')}` }
    for (const todoTitle of ['Old', 'Older']) {
      const { body } = await api('POST /todos', { todoTitle }, asJane)
      await api(`PUT /todos/${(body as { todoId: string }).todoId}`, undefined, asJane)
    }
    const page = await openPage(t, `${api.management}/#/todos`)
    await signIn(page, 'jane', 'demodemo')
    await page.getByRole('button', { name: 'Clear finished' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('log').getByText('2 deleted').waitFor()
    await page.keyboard.press('u')
    await page.getByRole('log').getByText('2 restored').waitFor()
    await page.getByRole('radio', { name: 'Finished 2' }).waitFor()
  })
})
