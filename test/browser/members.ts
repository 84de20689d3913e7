import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { type Api, startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { openPage } from './browser.ts'

export const create = async (api: Api, member: object = john) =>
  (await api('POST /members', member)).body as { memberId: string }

export const names = (page: Page) => page.locator('tbody th').allTextContents()

export const open = async (t: TestContext, path: (id: string) => string) => {
  const api = await startApp(t)
  const { memberId } = await create(api)
  const page = await openPage(t, `${api.management}/#/${path(memberId)}`)
  return { api, page, memberId }
}

/** A list of three pages, and the field for the number of one. */
export const openPages = async (t: TestContext) => {
  const api = await startApp(t)
  for (let index = 0; index < 45; index++)
    await create(api, { ...john, credential: { signId: `person ${index}`, password: 'demodemo' } })
  const page = await openPage(t, `${api.management}/#/members`)
  const number = page.getByRole('navigation', { name: 'Pages of the list' }).getByRole('textbox')
  await number.waitFor()
  return { page, number }
}

/** Two people have changed the telephone number; the user also the first name, the other one also the address. */
export const openClash = async (t: TestContext) => {
  const opened = await open(t, (id) => `members/${id}/edit`)
  const { api, page, memberId } = opened
  await page.getByLabel('First name').fill('Johnny')
  await page.getByLabel('Telephone number').fill('111')
  const { credential: _, ...profile } = john
  await api(`PUT /members/${memberId}`, { ...profile, telephoneNumber: '222', address: 'Kyoto' })
  await page.getByRole('button', { name: 'Save' }).click()
  return { ...opened, dialog: page.getByRole('dialog', { name: 'Somebody else changed this record' }) }
}

/** Fills the form of a new member named Dora Up. */
export const fillNew = async (page: Page) => {
  await page.getByLabel('First name').fill('Dora')
  await page.getByLabel('Last name').fill('Up')
  await page.getByRole('radio', { name: 'Woman' }).check()
  await page.getByLabel('Date of birth').fill('1990-12-31')
  await page.getByLabel('E-mail address').fill('dup@example.com')
  await page.getByLabel('Password', { exact: true }).fill('long enough')
}

/** Holds requests by this method back, until the returned function is called. */
export const hold = async (page: Page, url: string | RegExp, method: string) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() === method) await released
    await route.continue()
  })
  return release
}

/** Types a letter while the search for the previous one is running, and returns the text of the field soon after. */
export const typeDuringSearch = async (element: Element) => {
  const input = element as HTMLInputElement
  const type = (text: string) => {
    input.value = text
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  type('h')
  await pause(182)
  type('hi')
  await pause(100)
  return input.value
}
