import AxeSource from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds against the page as it is now. */
export const violations = async (page: Page, rules?: string[]) => {
  // Evaluated by the debugger, which the page's policy does not bind; animations are over.
  await page.evaluate(() => {
    // A skeleton shimmers for as long as it is there.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    return Promise.allSettled(ending.map(({ finished }) => finished))
  })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AxeSource.source)
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as { axe: typeof AxeSource }
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(rules && { runOnly: rules }),
    })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
  }, rules)
}

/** Of what does not differ between the lights, once is enough. */
export const violationsInBothLights = async (page: Page) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  const inTheDark = await violations(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...inTheDark.map((text) => `in the dark: ${text}`), ...(await violations(page))]
}
