import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { openConsole } from './console.ts'

after(closeBrowser)

suite('saved views', { skip }, () => {
  test('a list is saved under a name, opened by that name, changed and deleted', async (t) => {
    const api = await startApp(t)
    await api('POST /members', john)
    const place = `${api.management}/#/members`
    const page = await openPage(t, `${place}?name=jo&sort=emailAddress%2Casc&columns=emailAddress`)
    const dialog = page.getByRole('dialog')
    const choice = page.getByLabel('Saved view')
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
    const openMenu = () => page.locator('.view-menu summary').click()
    const chosen = () => choice.locator('option:checked').textContent()
    const found: string[] = []

    await page.getByRole('cell', { name: 'John' }).or(page.getByText('Smith')).first().waitFor()
    assert.equal(await choice.count(), 0)
    await openMenu()
    await press('Save this view…')
    await dialog.getByLabel('Name').fill('Johns')
    found.push(...(await violationsInBothLights(page)))
    await page.keyboard.press('Enter')
    await choice.waitFor()
    assert.equal(await chosen(), 'Johns')

    await page.goto(place)
    await page.reload()
    await choice.waitFor()
    assert.equal(await chosen(), '—')
    await choice.selectOption('Johns')
    await page.waitForURL(/name=jo/)
    assert.match(page.url(), /columns=emailAddress/)
    assert.match(page.url(), /sort=emailAddress/)
    assert.equal(await chosen(), 'Johns')
    found.push(...(await violationsInBothLights(page)))

    await openMenu()
    await press('Change this view…')
    await dialog.getByLabel('Name').fill('All Johns')
    await dialog.getByRole('checkbox', { name: 'Shown to everybody who may see this list' }).check()
    await confirm('Save')
    await choice.getByText('All Johns').waitFor({ state: 'attached' })
    const [view] = ((await api('GET /me/views')).body as { content: readonly object[] }).content
    assert.partialDeepStrictEqual(view, { name: 'All Johns', page: 'members', shared: true })

    await press('Change this view…')
    await confirm('Delete')
    await choice.waitFor({ state: 'detached' })
    assert.deepEqual(((await api('GET /me/views')).body as { content: readonly object[] }).content, [])
    assert.deepEqual(found, [])
  })

  test('the list of todos is saved under a name and opened by that name', async (t) => {
    const { page } = await openConsole(t, 'todos?show=open', { todos: ['Milk', 'Bread'] })
    await page.getByRole('button', { name: 'Save this view…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('To buy')
    await page.keyboard.press('Enter')
    const choice = page.getByLabel('Saved view')
    await choice.waitFor()
    await choice.selectOption('—')
    await page.waitForURL(/todos$/)
    await choice.selectOption('To buy')
    await page.waitForURL(/show=open/)
    assert.equal(await page.getByRole('radio', { name: /^Open/ }).isChecked(), true)
  })
})
