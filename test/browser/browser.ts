import { existsSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** Chromium without windows takes a third less of the processor. */
const places = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Nothing but the page itself: no sandbox where tests run as root, no calls home. */
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

export const executablePath = places.find((path) => path !== '' && existsSync(path))

/** Why the tests of a file cannot run here; false where they can. Where everything must run, they fail instead. */
export const skip =
  executablePath === undefined && !process.env.CI
    ? 'NOT RUN: there is no Chromium here (apt-get install chromium-headless-shell or chromium, or CHROMIUM=/path/to/it)'
    : false

if (skip) process.stderr.write(`\n*** the tests in a browser: ${skip} ***\n\n`)

export const launch = (): Promise<Browser> => {
  if (executablePath === undefined) throw new Error('there is no Chromium, and CI wants every test to run')
  return chromium.launch({ executablePath, args: flags })
}

/** How long a busy machine may take for what a person would see at once. */
const patienceMs = 30_000

let launched: Promise<Browser> | undefined

/** Lets go of the browser that the tests of this file share. */
export const closeBrowser = async () => (await launched)?.close()

/** What a page may complain of without being wrong: the answers that a test provokes. */
const expected = /Failed to load resource/

/** A page that fails the test where it says anything on its console that is an error. */
export const openPage = async (
  t: TestContext,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Page> => {
  launched ??= launch()
  const context = await (await launched).newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !expected.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  t.after(async () => {
    await context.close()
    if (complaints.length > 0) throw new Error(`the page complained:\n${complaints.join('\n')}`)
  })
  await page.goto(url)
  return page
}
