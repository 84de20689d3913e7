import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Download,
  type Page,
  type Request,
} from 'playwright-core'
import { messageOf } from '#core/cause.ts'

/** The headless shell comes first: it needs a third less CPU time. */
const candidates = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** No sandbox, because tests may run as root, and no requests of the browser to its maker. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const executablePath = candidates.find((path) => path !== '' && existsSync(path))

/** Why the browser tests cannot run here, or false. In CI they fail instead of being skipped. */
export const skip =
  executablePath === undefined && !process.env.CI
    ? 'NOT RUN: there is no Chromium here (apt-get install chromium-headless-shell or chromium, or CHROMIUM=/path/to/it)'
    : false

if (skip) process.stderr.write(`\n*** the tests in a browser: ${skip} ***\n\n`)

/** A separate browser for the caller. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath: present(), args: flags })

const present = () => {
  if (executablePath === undefined) throw new Error('there is no Chromium, and in CI every test must run')
  return executablePath
}

/** The text of a downloaded file. */
export const textOf = async (download: Download) => text(await download.createReadStream())

/** How long a busy machine may take to show what normally appears at once. */
const patienceMs = 30_000

/**
 * The times after which the page removes a note, and gives up restoring a scroll position or the focus. On a busy machine that
 * may be before a test has looked.
 */
const withdrawnAfterMs = [6_000, 10_000, 3_000]

/** Makes these pauses, and no others, a hundred times as long. Runs in the page. */
const stretch = (pausesMs: readonly number[]) => {
  const { setTimeout } = globalThis
  const stretched = (run: () => void, ms = 0) => setTimeout(run, pausesMs.includes(ms) ? 100 * ms : ms)
  Object.assign(globalThis, { setTimeout: stretched })
}

let launched: Promise<Browser> | undefined

/** Closes the browser, which the test files of a process share. */
export const closeBrowser = async () => (await launched)?.close()

const shared = () => {
  launched ??= launch()
  return launched
}

/** Console errors that do not fail a test: the refusals that the test provokes. */
const expected = /Failed to load resource/

/** How many requests the failure of a page lists. */
const toldRequests = 40

/** Records the requests of a page, and adds them to the error if the test fails, because the failure may not be repeatable. */
const witness = (page: Page) => {
  const since = Date.now()
  const requests: string[] = []
  const note = (what: string | number, request: Request) =>
    requests.push(`${Date.now() - since} ms ${what} ${request.method()} ${request.url()}`)
  page.on('request', (request) => note('asked', request))
  page.on('response', (response) => note(response.status(), response.request()))
  page.on('requestfailed', (request) => note(request.failure()?.errorText ?? 'failed', request))
  return async (failure: Error) => {
    const shown = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(messageOf)
    const told = `\n${page.url()} showed\n${shown}\nand asked\n${requests.slice(-toldRequests).join('\n')}`
    // A test that took too long has a text as its cause.
    if (failure.cause instanceof Error) failure.cause.stack += told
    else failure.cause = `${failure.cause}${told}`
  }
}

const usual: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' }

/**
 * Opens a page that fails the test if it throws, or logs an error or warning. It has no animations unless the test asks for them, because
 * drawing them takes a third of the browser's time.
 */
export const openPage = async (
  t: TestContext,
  url: string,
  options: BrowserContextOptions & { readonly browser?: Browser } = {},
): Promise<Page> => {
  const { browser = await shared(), ...rest } = options
  const context = await browser.newContext({ ...usual, ...rest })
  context.setDefaultTimeout(patienceMs)
  await context.addInitScript(stretch, withdrawnAfterMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  const testify = witness(page)
  t.after(async () => {
    if (t.error) await testify(t.error)
    await context.close()
    if (complaints.length > 0) throw new Error(`the page complained:\n${complaints.join('\n')}`)
  })
  await page.goto(url)
  return page
}
