/** Takes the screenshots of the documentation: `node scripts/pictures.ts`. Needs a Japanese font (fonts-noto-cjk). */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { CodeList, Day, Nullable, Reference, resource, Text, Unique } from '#src/resource.ts'
import { launch } from '#test/browser/browser.ts'
import { request } from '#test/harness.ts'
import { chores, people } from '#test/people.ts'
import { mergePatch } from '#test/scenarios/table.ts'

const target = fileURLToPath(new URL('../docs/images/', import.meta.url))

const file = [
  'firstName,lastName,genderCode,dateOfBirth,emailAddress,password',
  'Noor,Jansen,2,1991-03-04,noor@example.com,a-long-password',
  'Oskar,Lind,7,1988-07-21,oskar@example.com,a-long-password',
  'Pia,Moreau,2,2090-01-01,pia@,a-long-password',
  'Quentin,Roy,1,1979-12-30,quentin@example.com,short',
  'Rosa,Marin,2,1994-09-09,rosa@example.com,a-long-password',
].join('\n')

/** As in the README. */
const loan = resource({
  name: 'loan',
  fields: {
    memberId: Nullable(Reference('member')),
    title: Text(1, 60),
    shelf: Nullable(Unique(Text(1, 20))),
    due: Day,
    kind: CodeList('CL_LOAN', ['book', 'tool']),
  },
})

const loans = [
  ['Saw', 'T1', '2026-12-24', 'tool'],
  ['The Pillow Book', 'B4', '2026-12-11', 'book'],
  ['Cordless drill', 'T2', '2026-12-19', 'tool'],
  ['A Wizard of Earthsea', null, '2027-01-08', 'book'],
  ['Ladder, three metres', 'T7', '2026-12-05', 'tool'],
  ['Momo', 'B9', '2027-01-15', 'book'],
] as const

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
  { clock: { now: () => Date.now() - agoMs }, resources: [loan] },
)
const base = `${app.url}/api/v1`
const browser = await launch()
const memberId = await fill()
try {
  await takeDark()
  await takeJapanese()
  await takeLight()
} finally {
  await browser.close()
  await app.close()
  await rm(folder, { recursive: true })
}

/** Resolves to the id of the last member. */
async function fill() {
  let id = ''
  for (const [index, person] of people.entries()) {
    agoMs = dayMs * Math.floor(27 - ((index * index) % 5) / 3 - 2 * index)
    const { body } = await request(base, 'POST /members', { body: person })
    id = (body as { memberId: string }).memberId
  }
  for (const [index, todoTitle] of [...chores, ...chores, ...chores].entries()) {
    agoMs = dayMs * Math.floor(27 - 1.3 * index + (index % 3))
    const { body } = await request(base, 'POST /todos', { body: { todoTitle } })
    if (index % 3 === 1) await request(base, `PUT /todos/${(body as { todoId: string }).todoId}`)
  }
  agoMs = 0
  // The repository's document has no loans, so this answer is not checked against it.
  for (const [title, shelf, due, kind] of loans)
    await request(app.url, 'POST /api/v1/loans', {
      body: { title, shelf, due, kind, ...(kind === 'book' && { memberId: id }) },
    })
  return id
}

async function open(look: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...look })
  const page = await context.newPage()
  // Confirms that unsaved changes may be left.
  page.on('dialog', (dialog) => void dialog.accept())
  const visit = async (path: string) => {
    await page.goto('about:blank')
    await page.goto(`${app.managementUrl}/#/${path}`)
  }
  const take = async (name: string) => {
    // The page waits for changes all the time, so the network is never idle.
    await page.waitForFunction("!document.querySelector('.skeleton, [aria-busy=true]')")
    await page.waitForTimeout(400)
    await page.screenshot({ path: join(target, `${name}.png`) })
  }
  return { page, visit, take }
}

async function takeDark() {
  const { page, visit, take } = await open({ locale: 'en', colorScheme: 'dark' })
  await visit('overview')
  await page.locator('.days-some').first().waitFor()
  await take('overview-dark')
}

async function takeJapanese() {
  const { visit, take } = await open({ locale: 'ja', colorScheme: 'light' })
  await visit('todos')
  await take('todos-japanese')
}

async function takeLight() {
  const { page, visit, take } = await open({ locale: 'en', colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 560 })
  await visit('loans')
  await take('loans-light')
  await page.setViewportSize({ width: 1280, height: 860 })

  await visit('members')
  await take('members-light')

  await visit(`members/${memberId}/edit`)
  await page.locator('[name=telephoneNumber]').fill('03-5555-0199')
  await page.locator('[name=lastName]').fill('Sato-Klein')
  await request(base, `PATCH /members/${memberId}`, {
    body: { address: '銀座 4-5-6, 東京', telephoneNumber: '090-0000-1234' },
    headers: mergePatch,
  })
  await page.locator('form button[type=submit]').click()
  await page.locator('dialog').waitFor()
  await take('conflict-light')

  await visit('import')
  const buffer = Buffer.from(file)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'volunteers.csv', mimeType: 'text/csv', buffer })
  await page.locator('.refusals').waitFor()
  await take('import-report-light')
}
