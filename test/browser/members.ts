import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { type Api, startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { openPage } from './browser.ts'

export const create = async (api: Api, member: object = john, headers = {}) =>
  (await api('POST /members', member, headers)).body as { memberId: string }

/** A member with this sign id. */
export const withSignId = (signId: string, member: object = john) => ({
  ...member,
  credential: { signId, password: 'demodemo' },
})

export const shownNames = (page: Page) => page.locator('tbody th').allTextContents()

export const openAt = async (t: TestContext, path: (id: string) => string) => {
  const api = await startApp(t)
  const { memberId } = await create(api)
  const page = await openPage(t, `${api.management}/#/${path(memberId)}`)
  return { api, page, memberId }
}

/** A list of this many members, whose first names are numbers, the newest first. */
export const openMany = async (t: TestContext, count: number) => {
  const api = await startApp(t)
  const ids: string[] = []
  for (let number = 1; number <= count; number++)
    ids.push(
      (await create(api, withSignId(`person ${number}`, { ...john, firstName: `${number}` }))).memberId,
    )
  const page = await openPage(t, `${api.management}/#/members`)
  await page.getByText(`of ${count}`).first().waitFor()
  return { api, page, ids }
}
