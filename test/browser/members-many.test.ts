import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip } from './browser.ts'
import { closeNote, merge } from './console.ts'
import { names, openMany } from './members.ts'

after(closeBrowser)

suite('many members in the console', { skip }, () => {
  test('selected members', async (t) => {
    const { api, page, ids } = await openMany(t, 6)
    const countNow = async () =>
      ((await api('GET /members?size=1')).body as { totalElements: number }).totalElements
    const box = (number: number) =>
      page.getByRole('checkbox', { name: `Select ${number} Smith`, exact: true })
    const pickAll = () => page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    const log = page.getByRole('log')
    const remove = async (count: number) => {
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: `Delete ${count} members?` })
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await log.getByText(`${count} deleted`).last().waitFor()
      await page.getByText('selected').waitFor({ state: 'detached' })
    }

    await t.test('are with Shift all from the last one, upwards and downwards', async () => {
      await box(4).check()
      await box(2).click({ modifiers: ['Shift'] })
      await page.getByText('3 selected').waitFor()
      await page.getByRole('button', { name: 'Select none' }).click()
      await box(2).check()
      await box(5).click({ modifiers: ['Shift'] })
      await page.getByText('4 selected').waitFor()
      await page.getByRole('button', { name: 'Select none' }).click()
    })

    await t.test('are deleted by one request after one question, and Undo restores them', async () => {
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
      })
      await box(4).check()
      for (const key of ['k', 'k', 'x']) await page.keyboard.press(key)
      await page.getByText('2 selected').waitFor()
      assert.deepEqual(await violationsInBothLights(page), [])
      await remove(2)
      assert.deepEqual(await names(page), ['5 Smith', '3 Smith', '2 Smith', '1 Smith'])
      await page.getByRole('button', { name: 'Undo' }).click()
      await log.getByText('2 restored').waitFor()
      assert.equal((await names(page)).length, 6)
      assert.deepEqual([sent, await countNow()], [[], 6])
      for (const number of [4, 6]) await box(number).check()
      await remove(2)
      const answered = page.waitForResponse('**/api/v1/batch')
      await closeNote(page)
      await answered
      assert.deepEqual([sent, await countNow()], [['POST /api/v1/batch'], 4])
      await page.getByText('1–4 of 4').waitFor()
    })

    await t.test('stay if the batch is refused, which is said once with their names', async () => {
      await page.route('**/api/v1/batch', (route) =>
        route.fulfill({
          status: 403,
          headers: { 'X-Track': 'denied' },
          json: { code: 'e.xx.fw.6002', message: 'Not allowed here.' },
        }),
      )
      await pickAll()
      await remove(4)
      await closeNote(page)
      await log.getByText('4 of 4 were not deleted: 5 Smith, 3 Smith, 2 Smith, 1 Smith').waitFor()
      await log.getByText('Not allowed here.').waitFor()
      assert.deepEqual([(await names(page)).length, await countNow()], [4, 4])
      await page.unroute('**/api/v1/batch')
      await closeNote(page)
    })

    await t.test('stay if they were changed meanwhile, and whoever is gone is no failure', async () => {
      await pickAll()
      await remove(4)
      // The condition of a deletion counts in whole seconds.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      await api(`PATCH /members/${ids[1]}`, { address: 'Kyoto' }, merge)
      await api(`DELETE /members/${ids[2]}`)
      await closeNote(page)
      await log.getByText('1 of 4 was not deleted: 2 Smith').waitFor()
      await log.getByText('Somebody else has changed this since it was shown to you.').waitFor()
      await page.getByText('1–1 of 1').waitFor()
      assert.deepEqual([await names(page), await countNow()], [['2 Smith'], 1])
    })
  })
})
