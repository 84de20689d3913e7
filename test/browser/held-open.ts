import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** The browser asks before it reloads or closes the page. */
export const assertHeldOpen = async (page: Page) => {
  const [question] = await Promise.all([
    page.waitForEvent('dialog'),
    page.evaluate(() => setTimeout(() => location.reload())),
  ])
  assert.equal(question.type(), 'beforeunload')
  await question.dismiss()
}
