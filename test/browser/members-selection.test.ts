import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Api } from '#test/harness.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip } from './browser.ts'
import { closeNote, mergePatch } from './console.ts'
import { openMany, shownNames } from './members.ts'

after(closeBrowser)

const countNow = async (api: Api) =>
  ((await api('GET /members?size=1')).body as { totalElements: number }).totalElements

const box = (page: Page, number: number) =>
  page.getByRole('checkbox', { name: `Select ${number} Smith`, exact: true })

const pickAll = (page: Page) => page.getByRole('checkbox', { name: 'Select all on this page' }).check()

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

const remove = async (page: Page, count: number) => {
  await press(page, 'Delete')
  await dialogOf(page, `Delete ${count} members?`).getByRole('button', { name: 'Delete' }).click()
}

suite('many members in the console', { skip }, () => {
  test('selected members', async (t) => {
    const { api, page, ids } = await openMany(t, 6)
    const log = page.getByRole('log')

    await t.test(
      'include, with Shift, all rows from the last selected row, upwards and downwards',
      async () => {
        await box(page, 4).check()
        await box(page, 2).click({ modifiers: ['Shift'] })
        await page.getByText('3 selected').waitFor()
        await press(page, 'Select none')
        await box(page, 2).check()
        await box(page, 5).click({ modifiers: ['Shift'] })
        await page.getByText('4 selected').waitFor()
        await press(page, 'Select none')
      },
    )

    await t.test(
      'are deleted at once after a confirmation that names them, and Undo restores them',
      async () => {
        const sent: string[] = []
        page.on('request', (request) => {
          if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
        })
        await box(page, 4).check()
        for (const key of ['k', 'k', 'x']) await page.keyboard.press(key)
        await page.getByText('2 selected').waitFor()
        assert.deepEqual(await violationsInBothLights(page), [])
        await press(page, 'Delete')
        const dialog = dialogOf(page, 'Delete 2 members?')
        await dialog.getByText('4 Smith, 6 Smith').waitFor()
        await dialog.getByText('A restored member has no password and no role.').waitFor()
        assert.deepEqual(await violationsInBothLights(page), [])
        await dialog.getByRole('button', { name: 'Delete' }).click()
        await log.getByText('2 deleted').waitFor()
        await page.locator('h1:focus').waitFor()
        assert.deepEqual(await shownNames(page), ['5 Smith', '3 Smith', '2 Smith', '1 Smith'])
        assert.deepEqual([sent, await countNow(api)], [['POST /api/v1/batch'], 4])
        await press(page, 'Undo')
        await log.getByText('2 restored').waitFor()
        await page.getByText('1–6 of 6').waitFor()
        assert.deepEqual([sent.length, await countNow(api)], [2, 6])
      },
    )

    await t.test('stay if the batch is refused, and one note names them', async () => {
      await page.route('**/api/v1/batch', (route) =>
        route.fulfill({
          status: 403,
          headers: { 'X-Track': 'denied' },
          json: { code: 'e.xx.fw.6002', message: 'Not allowed here.' },
        }),
      )
      for (const number of [4, 3]) await box(page, number).check()
      await remove(page, 2)
      await log.getByText('2 of 2 were not deleted: 4 Smith, 3 Smith').waitFor()
      await log.getByText('Not allowed here.').waitFor()
      assert.deepEqual([(await shownNames(page)).length, await countNow(api)], [6, 6])
      await page.unroute('**/api/v1/batch')
      await closeNote(page)
    })

    await t.test(
      'stay if they were changed meanwhile; an already deleted member does not count as a failure',
      async () => {
        await pickAll(page)
        await press(page, 'Delete')
        // The condition of a deletion counts in whole seconds.
        await new Promise((resolve) => setTimeout(resolve, 1_100))
        await api(`PATCH /members/${ids[1]}`, { address: 'Kyoto' }, mergePatch)
        await api(`DELETE /members/${ids[2]}`)
        await dialogOf(page, 'Delete 6 members?').getByRole('button', { name: 'Delete' }).click()
        await log.getByText('1 of 6 was not deleted: 2 Smith').waitFor()
        await log.getByText('Somebody else has changed this since it was shown to you.').waitFor()
        await log.getByText('4 deleted').waitFor()
        await page.getByText('1–1 of 1').waitFor()
        assert.deepEqual([await shownNames(page), await countNow(api)], [['2 Smith'], 1])
      },
    )
  })

  test('To delete fifty or more members, the user types their number; all are deleted even if the page is closed.', async (t) => {
    const { api, page } = await openMany(t, 51)
    await pickAll(page)
    await press(page, 'Select all 51')
    await page.getByText('51 selected').waitFor()
    await press(page, 'Delete')
    const dialog = dialogOf(page, 'Delete 51 members?')
    await dialog.getByText('41 more').waitFor()
    const confirm = dialog.getByRole('button', { name: 'Delete' })
    for (const [typed, isLocked] of [
      ['50', 'true'],
      ['５１', 'false'],
    ] as const) {
      await dialog.getByLabel('Type 51 to delete them').fill(typed)
      assert.equal(await confirm.getAttribute('aria-disabled'), isLocked)
    }
    const sent = page.waitForRequest('**/api/v1/batch')
    await page.keyboard.press('Enter')
    await sent
    await page.close()
    while ((await countNow(api)) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  })

  test('A note does not cover the actions for selected records.', async (t) => {
    const { page } = await openMany(t, 30)
    await box(page, 30).check()
    await press(page, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    const note = page.getByText('1 deleted')
    await note.waitFor()
    await box(page, 28).check()
    const [top, bottom] = [note, page.getByText('1 selected')].map((one) => one.boundingBox())
    const [above, below] = await Promise.all([top, bottom])
    assert.ok(above && below && above.y + above.height <= below.y, JSON.stringify([above, below]))
  })

  test('A field or the role of all matching members is changed after a preview, and Undo skips members that others changed since.', async (t) => {
    const { api, page, ids } = await openMany(t, 4)
    const log = page.getByRole('log')
    const mailbox = async (id: string) =>
      ((await api(`GET /members/${id}`)).body as { emailAddress: string }).emailAddress.split('@')[0]
    const mailboxes = () => Promise.all(ids.map(mailbox))
    const role = async (at: number) =>
      ((await api(`GET /members/${ids[at]}/role`)).body as { role: string }).role
    await api(`PATCH /members/${ids[0]}`, { emailAddress: 'kyoto@example.com' }, mergePatch)
    await api(`PATCH /members/${ids[1]}`, { emailAddress: 'nara@example.com' }, mergePatch)
    await api(`PUT /members/${ids[3]}/role`, { role: 'suspended' })
    // Nothing from the feed: the list must show the changes of this page without it.
    await page.route('**/api/v1/changes?*wait=*', () => undefined)
    await page.reload()
    await pickAll(page)
    await press(page, 'Change a field')
    const dialog = dialogOf(page, 'Change a field of 4 records')
    await dialog.getByLabel('Field').selectOption('E-mail address')
    await dialog.getByLabel('E-mail address').fill('kyoto@example.com')
    await dialog.getByText('nara@example.com → kyoto@example.com: 1 (2 Smith)').waitFor()
    await dialog.getByText('John.Smith@example.com → kyoto@example.com: 2 (4 Smith, 3 Smith)').waitFor()
    await dialog.getByText('1 record has this value already.').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await dialog.getByRole('button', { name: 'Change 3' }).click()
    await log.getByText('3 changed').waitFor()
    await page.locator('tbody').getByText('kyoto@example.com').nth(3).waitFor()
    assert.deepEqual(await mailboxes(), Array(4).fill('kyoto'))
    await api(`PATCH /members/${ids[2]}`, { emailAddress: 'osaka@example.com' }, mergePatch)
    await press(page, 'Undo')
    await log.getByText('1 of 3 was not changed: 3 Smith').waitFor()
    assert.deepEqual(await mailboxes(), ['kyoto', 'nara', 'osaka', 'John.Smith'])

    // The role is changed only of records whose newest version is shown.
    for (const shown of ['nara', 'osaka', 'John.Smith'])
      await page.locator('tbody').getByText(`${shown}@example.com`).waitFor()

    await pickAll(page)
    await press(page, 'Change a field')
    await dialog.getByLabel('Field').selectOption('Role')
    await dialog.getByRole('radio', { name: 'Suspended' }).check()
    await dialog.getByText('Member → Suspended: 3').waitFor()
    await dialog.getByRole('button', { name: 'Change 3' }).click()
    await log.getByText('3 changed').last().waitFor()
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map(role)), Array(4).fill('suspended'))
    await page.keyboard.press('u')
    await log.getByText('3 put back').waitFor()
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map(role)), ['member', 'member', 'member', 'suspended'])
  })
})
