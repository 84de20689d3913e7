import { after, suite, type TestContext, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { chores } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { fill, holdRequests } from './console.ts'

after(closeBrowser)

const open = async (t: TestContext, path: string) => {
  const { api } = await fill(t)
  return openPage(t, `${api.management}/#/${path}`)
}

/** Resolves once this has the focus. */
const focused = (page: Page, role: 'link' | 'heading' | 'button', name: string) =>
  page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor()

const noteButton = (page: Page, name: string) => page.getByRole('log').getByRole('button', { name })

suite('the focus in the console', { skip }, () => {
  test('Back and Forward focus the link that was followed, unless the user has done something else; a link focuses the title', async (t) => {
    const page = await open(t, 'members')
    await page.getByRole('link', { name: 'Bram de Vries' }).press('Enter')
    await focused(page, 'heading', 'Bram de Vries')
    await page.getByRole('link', { name: 'Edit' }).press('Enter')
    await focused(page, 'heading', 'Edit Bram de Vries')
    await page.goBack()
    await focused(page, 'link', 'Edit')
    await page.goBack()
    await focused(page, 'link', 'Bram de Vries')
    await page.goForward()
    await focused(page, 'link', 'Edit')
    await page.getByRole('main').getByRole('link', { name: 'Members' }).press('Enter')
    await focused(page, 'heading', 'Members')

    await page.getByRole('link', { name: 'Bram de Vries' }).press('Enter')
    await focused(page, 'heading', 'Bram de Vries')
    const release = await holdRequests(page, /members\?/)
    await page.goBack()
    await focused(page, 'heading', 'Members')
    await page.keyboard.press('/')
    release()
    await page.getByRole('link', { name: 'Bram de Vries' }).waitFor()
    await page.getByRole('searchbox').and(page.locator(':focus')).waitFor()
  })

  test('Undo focuses the restored record, and closing a note returns the focus to where it was', async (t) => {
    const page = await open(t, 'todos')
    const [, , third = '', fourth = ''] = chores
    await page.getByRole('button', { name: `Delete “${third}”` }).press('Enter')
    await noteButton(page, 'Undo').press('Enter')
    await page.locator('.todo-title:focus').filter({ hasText: third }).waitFor()

    await page.getByRole('button', { name: `Finish “${fourth}”` }).press('Enter')
    await page.getByText(`Finished “${fourth}”`).waitFor()
    await noteButton(page, 'Undo').press('Enter')
    await page.locator('.todo-title:focus').filter({ hasText: fourth }).waitFor()
    // Until then, it takes no other change.
    await page.getByText(`Reopened “${fourth}”`).waitFor()

    await page.getByRole('button', { name: `Rename “${third}”` }).focus()
    await page.getByRole('button', { name: `Finish “${fourth}”` }).click()
    await page.getByText(`Finished “${fourth}”`).waitFor()
    await page.getByRole('button', { name: `Rename “${third}”` }).focus()
    await noteButton(page, 'Close').last().press('Enter')
    await focused(page, 'button', `Rename “${third}”`)
  })

  test('“Try again” moves the focus to the title when it succeeds, and keeps the focus when it fails', async (t) => {
    const { api, memberId } = await fill(t)
    const page = await openPage(t, 'about:blank')
    const pages = [
      ['todos', 'Todos'],
      ['members', 'Members'],
      [`members/${memberId}`, 'Aiko Tanaka'],
    ] as const
    const fail = (route: Route) => route.fulfill({ status: 500, json: {} })
    // Once the service is well, the page reads again by itself, and there is nothing left to try.
    await page.route('**/health/ready', fail)
    for (const [path, title] of pages) {
      await page.route('**/api/v1/**', fail)
      await page.goto(`${api.management}/#/${path}`)
      const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
      await again.waitFor()
      await Promise.all([page.waitForResponse('**/api/v1/**'), again.press('Enter')])
      await focused(page, 'button', 'Try again')
      await page.unroute('**/api/v1/**')
      await again.press('Enter')
      await focused(page, 'heading', title)
    }
  })
})
