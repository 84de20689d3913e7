import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { create, names } from './members.ts'

after(closeBrowser)

/** A list of this many members, whose first names are numbers, the newest first. */
const openList = async (t: TestContext, count: number) => {
  const api = await startApp(t)
  const ids: string[] = []
  for (let number = 1; number <= count; number++) {
    const credential = { signId: `person ${number}`, password: 'demodemo' }
    ids.push((await create(api, { ...john, firstName: `${number}`, credential })).memberId)
  }
  const page = await openPage(t, `${api.management}/#/members`)
  await page.getByText(`of ${count}`).first().waitFor()
  const countNow = async () =>
    ((await api('GET /members?size=1')).body as { totalElements: number }).totalElements
  const pick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
  return { api, page, ids, countNow, pick }
}

suite('many members in the console', { skip }, () => {
  test('with Shift, the rows from the last one selected are selected too, upwards and downwards', async (t) => {
    const { page, pick } = await openList(t, 5)
    const reach = (name: string) =>
      page
        .getByRole('checkbox', { name: `Select ${name} Smith`, exact: true })
        .click({ modifiers: ['Shift'] })
    await pick('4 Smith')
    await reach('2')
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Select none' }).click()
    await pick('2 Smith')
    await reach('5')
    await page.getByText('4 selected').waitFor()
  })

  test('the selected members are deleted by one request after one question, and Undo restores them', async (t) => {
    const { page, countNow, pick } = await openList(t, 3)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    await pick('1 Smith')
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByText('2 selected').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    const remove = async () => {
      await page.getByRole('button', { name: 'Delete' }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete 2 members?' })
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('log').getByText('2 deleted').waitFor()
      assert.deepEqual(await names(page), ['2 Smith'])
      await page.getByText('selected').waitFor({ state: 'detached' })
    }
    await remove()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('log').getByText('2 restored').waitFor()
    assert.deepEqual(await names(page), ['3 Smith', '2 Smith', '1 Smith'])
    assert.deepEqual([sent, await countNow()], [[], 3])
    await pick('1 Smith')
    await pick('3 Smith')
    await remove()
    const answered = page.waitForResponse('**/api/v1/batch')
    await page.getByRole('log').getByRole('button', { name: 'Close' }).last().click()
    await answered
    assert.deepEqual([sent, await countNow()], [['POST /api/v1/batch'], 1])
    await page.getByText('1–1 of 1').waitFor()
  })

  test('whoever was changed meanwhile stays, and is named once with the reason; whoever is gone is no failure', async (t) => {
    const { api, page, ids, countNow } = await openList(t, 3)
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('3 deleted').waitFor()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await api(
      `PATCH /members/${ids[1]}`,
      { address: 'Kyoto' },
      { 'Content-Type': 'application/merge-patch+json' },
    )
    await api(`DELETE /members/${ids[2]}`)
    await page.getByRole('log').getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('1 of 3 was not deleted: 2 Smith').waitFor()
    await page.getByText('Somebody else has changed this since it was shown to you.').waitFor()
    await page.getByText('1–1 of 1').waitFor()
    assert.deepEqual([await names(page), await countNow()], [['2 Smith'], 1])
  })

  test('all that match are selected over the pages and saved; another search selects none', async (t) => {
    const { page } = await openList(t, 23)
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByText('20 selected').waitFor()
    await page.getByRole('button', { name: 'Select all 23' }).click()
    await page.getByText('23 selected').waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    const [heading, ...rows] = (await textOf(saved)).trim().split('\r\n')
    assert.match(heading ?? '', /^\uFEFF?memberId,firstName,lastName,/)
    assert.equal(rows.length, 23)
    await page.getByRole('searchbox').fill('smith')
    await page.getByRole('status').getByText('23 members with “smith”').waitFor()
    await page.getByText('23 selected').waitFor({ state: 'detached' })
  })

  test('a batch that is refused is said once with the names, and its members are shown again', async (t) => {
    const { page, countNow } = await openList(t, 2)
    await page.route('**/api/v1/batch', (route) =>
      route.fulfill({
        status: 403,
        headers: { 'X-Track': 'denied' },
        json: { code: 'e.xx.fw.6002', message: 'Not allowed here.' },
      }),
    )
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('log').getByRole('button', { name: 'Close' }).last().click()
    await page.getByText('2 of 2 were not deleted: 2 Smith, 1 Smith').waitFor()
    await page.getByText('Not allowed here.').waitFor()
    assert.deepEqual([await names(page), await countNow()], [['2 Smith', '1 Smith'], 2])
  })
})
