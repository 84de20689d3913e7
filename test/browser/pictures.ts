/** Takes the screenshots of the documentation: `node test/browser/pictures.ts`. Needs a Japanese font (fonts-noto-cjk). */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { request } from '#test/harness.ts'
import { chores, people } from '#test/people.ts'
import { launch } from './browser.ts'

const target = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const watchedMs = 45_000

interface Look extends BrowserContextOptions {
  readonly name: string
}

const desktop = { viewport: { width: 1280, height: 860 } }

const looks: readonly Look[] = [
  { name: 'light', locale: 'en', colorScheme: 'light', ...desktop },
  { name: 'dark', locale: 'en', colorScheme: 'dark', ...desktop },
  { name: 'japanese', locale: 'ja', colorScheme: 'light', ...desktop },
  {
    name: 'phone',
    locale: 'en',
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  },
]

const file = [
  'firstName,lastName,genderCode,dateOfBirth,emailAddress,password',
  'Noor,Jansen,2,1991-03-04,noor@example.com,a-long-password',
  'Oskar,Lind,7,1988-07-21,oskar@example.com,a-long-password',
  'Pia,Moreau,2,2090-01-01,pia@,a-long-password',
  'Quentin,Roy,1,1979-12-30,quentin@example.com,short',
  'Rosa,Marin,2,1994-09-09,rosa@example.com,a-long-password',
].join('\n')

const dayMs = 86_400_000

/** How long ago it is, for the service. */
let agoMs = 0

const folder = await mkdtemp(join(tmpdir(), 'rollcall-pictures-'))
const app = await openApp(
  readConfig({
    PORT: '0',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'pictures.db')}`,
    LOG_LEVEL: 'silent',
  }),
  { clock: { now: () => Date.now() - agoMs } },
)
const guarded = await openApp(
  readConfig({
    PORT: '0',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    ACCESS: 'basic',
    ADMIN_SIGN_ID: 'admin',
    ADMIN_PASSWORD: 'admin-password',
    LOG_LEVEL: 'silent',
  }),
)
const base = `${app.url}/api/v1`
const console_ = app.managementUrl ?? ''
const browser = await launch()
await mkdir(target, { recursive: true })
const memberIds = await fill()
try {
  const taken = looks.map((look, index) => takeAll(look, memberIds[index] ?? ''))
  await Promise.all(taken)
} finally {
  await browser.close()
  await app.close()
  await guarded.close()
  await rm(folder, { recursive: true })
}

async function fill() {
  const ids = []
  for (const [index, person] of people.entries()) {
    agoMs = dayMs * Math.floor(27 - ((index * index) % 5) / 3 - 2 * index)
    const { body } = await request(base, 'POST /members', { body: person })
    ids.push((body as { memberId: string }).memberId)
  }
  for (const [index, todoTitle] of [...chores, ...chores, ...chores].entries()) {
    agoMs = dayMs * Math.floor(27 - 1.3 * index + (index % 3))
    const { body } = await request(base, 'POST /todos', { body: { todoTitle } })
    if (index % 3 === 1) await request(base, `PUT /todos/${(body as { todoId: string }).todoId}`)
  }
  agoMs = 0
  return ids.slice(7)
}

/** Makes a little traffic, so that the charts have something to show. */
function keepBusy() {
  let isStopped = false
  const once = async (turn: number) => {
    const requestCount = 6 + Math.round(5 * Math.sin(turn / 9) + 4 * Math.random())
    await Promise.all(Array.from({ length: requestCount }, () => request(base, 'GET /members?page=0&name=a')))
    if (turn % 2 === 0) {
      const { body } = await request(base, 'POST /todos', { body: { todoTitle: 'busy' } })
      await request(base, `DELETE /todos/${(body as { todoId: string }).todoId}`)
    }
    if (turn % 23 === 0) await request(base, 'GET /todos/nobody')
  }
  const run = async () => {
    for (let turn = 0; !isStopped; turn++) {
      await once(turn)
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
  void run()
  return {
    stop() {
      isStopped = true
    },
  }
}

/** Each look has a member of its own to change. */
async function takeAll({ name, ...options }: Look, memberId: string) {
  const context = await browser.newContext({ deviceScaleFactor: name === 'phone' ? 2 : 1, ...options })
  const page = await context.newPage()
  const take = async (subject: string) => {
    // The page waits for changes all the time, so the network is never idle. Behind the sign-in, nothing is ever loaded.
    const isShown = () =>
      document.querySelector('.dialog-gate') || !document.querySelector('.skeleton, [aria-busy=true]')
    await page.waitForFunction(isShown)
    await page.waitForTimeout(400)
    await page.screenshot({ path: join(target, `${subject}-${name}.png`) })
  }
  // Confirms that unsaved changes may be left.
  page.on('dialog', (dialog) => void dialog.accept())
  const visit = async (path: string) => {
    await page.goto('about:blank')
    await page.goto(`${console_}/#/${path}`)
  }

  await visit('overview')
  await page.locator('.days-some').first().waitFor()
  await take('overview')
  const load = keepBusy()
  await visit('service')
  await page.waitForTimeout(watchedMs)
  await take('service')
  load.stop()
  await visit('todos')
  await take('todos')
  await visit('members')
  await take('members')
  await visit(`members/${memberId}`)
  await take('member')
  await visit('members/new')
  await page.locator('[name=emailAddress]').fill('not an address')
  await page.locator('form button[type=submit]').click()
  await page.locator('.field-error').first().waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await take('form')
  await takeConflict(page, { take, visit, memberId })
  await takeImport(page, take, visit)
  await takeOffline(page, take, visit)
  await page.goto(`${guarded.managementUrl}/#/todos`)
  await page.locator('dialog input').first().waitFor()
  await take('sign-in')
  await context.close()
}

type Take = (subject: string) => Promise<void>
type Visit = (path: string) => Promise<unknown>

interface Conflict {
  readonly take: Take
  readonly visit: Visit
  readonly memberId: string
}

async function takeConflict(page: Page, { take, visit, memberId }: Conflict) {
  await visit(`members/${memberId}/edit`)
  await page.locator('[name=telephoneNumber]').fill('03-5555-0199')
  await page.locator('[name=lastName]').fill('Sato-Klein')
  await request(base, `PATCH /members/${memberId}`, {
    body: {
      address: `銀座 ${1 + Math.floor(Math.random() * 8)}-5-6, 東京`,
      telephoneNumber: `090-0000-${1000 + Math.floor(Math.random() * 9000)}`,
    },
    headers: { 'Content-Type': 'application/merge-patch+json' },
  })
  await page.locator('form button[type=submit]').click()
  await page.locator('dialog').waitFor()
  await take('conflict')
}

async function takeImport(page: Page, take: Take, visit: Visit) {
  await visit('import')
  await page.reload()
  await take('import')
  const buffer = Buffer.from(file.replaceAll('@example', `.${Math.random().toString(36).slice(2)}@example`))
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'volunteers.csv', mimeType: 'text/csv', buffer })
  await page.locator('.actions .button-primary').click()
  await page.locator('.refusals').waitFor()
  await page.locator('.import-part a.button-primary').waitFor()
  await take('import-report')
}

async function takeOffline(page: Page, take: Take, visit: Visit) {
  await visit('todos')
  await page.locator('.todo').first().waitFor()
  await page.context().setOffline(true)
  await page.locator('.todo').nth(3).hover()
  await page.locator('.todo').nth(3).locator('.icon-button').last().click()
  await page.locator('.note-failed').waitFor()
  await take('offline')
  await page.context().setOffline(false)
}
