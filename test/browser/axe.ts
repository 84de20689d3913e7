import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type Axe from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The violations that axe finds on the page in its present state. */
export const violations = async (page: Page, rules?: string[]) => {
  // Waits for animations by polling, because their `finished` promise may stay pending. The shimmer of a skeleton never ends.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Infinity,
      ),
  )
  if (!(await page.evaluate(() => 'axe' in globalThis))) await inject(page)
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(rules && { runOnly: rules }),
    })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
  }, rules)
}

/** Loads axe by the debugger, which is not subject to the page's CSP, and copies the source fewer times than `evaluate`. */
const inject = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: source })
  await session.detach()
}

/** In dark mode only contrast is checked: the other rules do not depend on the colour scheme. */
export const violationsInBothLights = async (page: Page) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  const inTheDark = await violations(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...inTheDark.map((text) => `dark: ${text}`), ...(await violations(page))]
}
