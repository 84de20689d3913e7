import type { Page } from 'playwright-core'
import type { Api } from '#test/harness.ts'

/** What the service has, in order of creation. */
export const titles = async (api: Api) =>
  ((await api('GET /todos')).body as { todoTitle: string; finished: boolean }[]).map(
    ({ todoTitle, finished }) => `${finished ? '✓' : '○'} ${todoTitle}`,
  )

/** Waits two frames, after which the page shows what a response has changed. */
export const painted = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/** Answers are held back until this is released. */
export const hold = () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  return { released, release }
}
