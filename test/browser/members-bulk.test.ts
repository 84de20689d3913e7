import assert from 'node:assert/strict'
import { after, suite, type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Api, startApp } from '#test/harness.ts'
import { csv, type Import, importsOf } from '#test/import/imports.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { mergePatch } from './console.ts'

after(closeBrowser)

interface Listed {
  readonly memberId: string
  readonly address: string | null
}

const count = 300

/** A list of this many members, and a page that shows it. */
const openHundreds = async (t: TestContext) => {
  const api = await startApp(t)
  const imports = importsOf(api)
  const headings = ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress', 'address']
  const rows = Array.from({ length: count }, (_, at) => [
    ...[`${at + 1}`, 'Smith', '2', '1990-01-01', `m${at}@example.com`, 'Tokyo'],
  ])
  const importId = await imports.upload('members', csv(headings, rows))
  await imports.in(importId, 'ready')
  await imports.change(importId, { options: { passwords: 'none' } })
  await imports.in(importId, 'ready')
  await imports.act(importId, 'apply')
  await imports.in(importId, 'done')
  const page = await openPage(t, `${api.management}/#/members`)
  await pickAll(page)
  return { api, imports, page }
}

const pickAll = async (page: Page) => {
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: `Select all ${count}` }).click()
  await page.getByText(`${count} selected`).waitFor()
}

const change = async (page: Page, field: string, fill: () => Promise<void>) => {
  await page.getByRole('button', { name: 'Change a field' }).click()
  await page.getByRole('dialog').getByLabel('Field').selectOption(field)
  await fill()
  await page.getByRole('button', { name: `Change ${count}` }).click()
}

const listed = async (api: Api) => (await api('GET /members')).body as readonly Listed[]

const addresses = async (api: Api) => new Set((await listed(api)).map(({ address }) => address))

const newest = async (api: Api) =>
  ((await api('GET /imports')).body as { content: readonly Import[] }).content[0]?.importId ?? ''

suite('hundreds of members in the console', { skip }, () => {
  test('A change of hundreds of members is completed even if its page is closed; the activity shows the change as one line, which can be undone.', async (t) => {
    const { api, imports, page } = await openHundreds(t)
    const sent = page.waitForResponse((response) => response.url().includes('/members/imports'))
    await change(page, 'Address', () => page.getByRole('dialog').getByLabel('Address').fill('Kyoto'))
    await sent
    await page.close()
    const importId = await newest(api)
    await imports.in(importId, 'done')
    assert.deepEqual(await addresses(api), new Set(['Kyoto']))

    const other = await openPage(t, `${api.management}/#/activity`)
    await other.getByText(`Members: ${count} changed:`).waitFor()
    await other.getByRole('link', { name: 'Address → Kyoto' }).click()
    await other.getByRole('link', { name: `${count} Smith`, exact: true }).waitFor()
    await other.getByRole('button', { name: 'Undo' }).click()
    await other.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await imports.in(importId, 'undone')
    assert.deepEqual(await addresses(api), new Set(['Tokyo']))
  })

  test('The role of all members is changed; the Undo key restores the role of members that nobody changed since, and a note names the others.', async (t) => {
    const { api, page } = await openHundreds(t)
    const log = page.getByRole('log')
    const roles = async () =>
      ((await api('GET /members?role=suspended&page=0&size=1')).body as { totalElements: number })
        .totalElements
    await change(page, 'Role', () => page.getByRole('radio', { name: 'Suspended' }).check())
    await log.getByText(`${count} changed`).waitFor()
    assert.equal(await roles(), count)
    const [first] = await listed(api)
    await api(`PATCH /members/${first?.memberId}`, { address: 'Osaka' }, mergePatch)
    await page.keyboard.press('u')
    await log.getByText(`${count - 1} put back`).waitFor()
    await log.getByText(`1 of ${count} was not changed: `).waitFor()
    assert.equal(await roles(), 1)
  })

  test('All members are deleted except those that were modified since they were displayed, and Undo restores the deleted ones.', async (t) => {
    const { api, page } = await openHundreds(t)
    const log = page.getByRole('log')
    const [first] = await listed(api)
    await api(`PATCH /members/${first?.memberId}`, { address: 'Osaka' }, mergePatch)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByLabel(`Type ${count} to delete them`).fill(`${count}`)
    await page.keyboard.press('Enter')
    await log.getByText(`1 of ${count} was not deleted: `).waitFor()
    await log.getByText(`${count - 1} deleted`).waitFor()
    assert.deepEqual(
      (await listed(api)).map(({ memberId }) => memberId),
      [first?.memberId],
    )
    await page.keyboard.press('u')
    await log.getByText(`${count - 1} restored`).waitFor()
    assert.equal((await listed(api)).length, count)
    await page.getByText(`of ${count}`).first().waitFor()
  })
})
