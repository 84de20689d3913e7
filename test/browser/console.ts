import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type Api, startApp } from '#test/harness.ts'
import { chores, people } from '#test/people.ts'
import { openPage } from './browser.ts'

interface Opening extends BrowserContextOptions {
  /** The titles of the todos in the service. */
  readonly todos?: readonly string[]
}

/** A service, and its console at this address. */
export const openConsole = async (
  t: TestContext,
  place: string,
  { todos = [], ...options }: Opening = {},
) => {
  const api = await startApp(t)
  for (const todoTitle of todos) await api('POST /todos', { todoTitle })
  return { api, page: await openPage(t, `${api.management}/#/${place}`, options) }
}

/** A service with a few members, and todos of which one is finished. */
export const fill = async (t: TestContext) => {
  const api = await startApp(t)
  const { body: created } = await api('POST /members', people[0])
  for (const person of people.slice(1, 4)) await api('POST /members', person)
  for (const todoTitle of chores) await api('POST /todos', { todoTitle })
  const { body } = await api('GET /todos')
  for (const { todoId } of (body as { todoId: string }[]).slice(0, 1)) await api(`PUT /todos/${todoId}`)
  return { api, memberId: (created as { memberId: string }).memberId }
}

/** The todos that the service has, in order of creation. */
export const titles = async (api: Api) =>
  ((await api('GET /todos')).body as { todoTitle: string; finished: boolean }[]).map(
    ({ todoTitle, finished }) => `${finished ? '✓' : '○'} ${todoTitle}`,
  )

export const mergePatch = { 'Content-Type': 'application/merge-patch+json' }

/** Holds requests back, or only those by this method, until the returned function is called. */
export const holdRequests = async (page: Page, url: string | RegExp, method?: string) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (method === undefined || route.request().method() === method) await released
    await route.continue()
  })
  return release
}

export const waitForAnswer = (page: Page, method: string) =>
  page.waitForResponse((response) => response.request().method() === method)

/** Closes the latest note, so that the action waiting for it is carried out. */
export const closeNote = (page: Page) =>
  page.getByRole('log').getByRole('button', { name: 'Close' }).last().click()

/** Waits two frames, after which the page shows what a response has changed. */
export const untilPainted = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/** Chooses a file to be imported. */
export const chooseFile = (page: Page, content: string | Buffer, name = 'people.csv') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) })

export const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

/** The browser asks before it reloads or closes the page. */
export const assertAsksBeforeLeaving = async (page: Page) => {
  const [question] = await Promise.all([
    page.waitForEvent('dialog'),
    page.evaluate(() => setTimeout(() => location.reload())),
  ])
  assert.equal(question.type(), 'beforeunload')
  await question.dismiss()
}

/** Saves a list in one of the formats that its button offers. */
export const saveList = async (page: Page, form = 'Exact (CSV)', button = 'Export') => {
  await page.getByRole('button', { name: button, exact: true }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: form }).click(),
  ])
  return download
}
