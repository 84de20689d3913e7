import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type TestContext, test } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

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

/** A test in a real browser. Where there is none it is skipped aloud, and fails where nobody would hear. */
export const browserTest = (name: string, run: (t: TestContext, browser: Browser) => Promise<void>) => {
  const isThere = existsSync(executablePath)
  const skip = isThere || process.env.CI ? false : `there is no browser at ${executablePath}`
  if (skip) console.error(`NOT RUN: ${name}: ${skip}. Install Debian's chromium, or set CHROMIUM.`)
  test(name, { skip }, async (t) => {
    const browser = await chromium.launch({ executablePath, args: flags })
    try {
      await run(t, browser)
    } finally {
      await browser.close()
    }
  })
}

/** What a page complains of while it is used: its own errors, and what its policy forbids it. */
export const complaintsOf = (page: Page): readonly string[] => {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  return complaints
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What bars people from a page, by axe. */
export const barriersOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe)
  const run =
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))'
  return page.evaluate(run)
}
