import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { john, people } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { mergePatch } from './console.ts'
import { create, openAt } from './members.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

/** Shorter than the interval at which a page would poll. */
const beforePolling = { timeout: 5_000 }

/** Resolves once the page waits for the next change. */
const isFollowing = (page: Page) => page.waitForRequest((request) => /changes\?.*wait=/.test(request.url()))

/** A list is read again once the feed begins, or turns out to be closed. */
const readAgain = (page: Page) => page.waitForResponse((response) => response.status() === 304)

/** How many reads of changes wait at the same time, at most. */
const countFeeds = (page: Page) => {
  let [open, most] = [0, 0]
  const isFeed = (url: string) => url.includes('/changes?') && url.includes('wait=')
  page.on('request', (request) => {
    if (isFeed(request.url())) most = Math.max(most, ++open)
  })
  const end = (request: { url(): string }) => (open -= Number(isFeed(request.url())))
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return () => most
}

suite('changes by others', { skip }, () => {
  test('appear in every list, on every page, by one feed', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    const most = countFeeds(page)
    const following = isFollowing(page)
    await page.goto(`${api.management}/#/members`)
    await following
    const { memberId } = await create(api)
    await page.getByRole('link', { name: 'John Smith' }).waitFor(beforePolling)
    await page.getByRole('link', { name: 'Todos' }).click()
    await page.getByText('Nothing to do').waitFor()
    await api('POST /todos', { todoTitle: 'theirs' })
    await page.getByText('theirs').waitFor(beforePolling)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'Open todos 1' }).waitFor()
    await api(`DELETE /members/${memberId}`)
    await page.getByRole('link', { name: 'Members 0' }).waitFor(beforePolling)
    assert.equal(most(), 1)
  })

  test('cause no requests while nothing changes', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    await page.clock.install()
    const unchanged = readAgain(page)
    await page.goto(`${api.management}/#/todos`)
    await unchanged
    let reads = 0
    page.on('request', (request) => (reads += Number(request.url().includes('/todos?'))))
    await page.clock.runFor(30_000)
    assert.equal(reads, 0)
  })

  test('are shown in an open record and in an untouched form, and announced by a form with unsaved input', async (t) => {
    const { api, page, memberId } = await openAt(t, (id) => `members/${id}`)
    const change = (fields: object) => api(`PATCH /members/${memberId}`, fields, mergePatch)
    const definition = (text: string) => page.getByRole('definition').getByText(text, { exact: true })
    await definition('John').waitFor()
    await change({ firstName: 'Johnny' })
    await page.getByRole('heading', { name: 'Johnny Smith' }).waitFor(beforePolling)
    const record = await page.context().newPage()
    await record.goto(page.url())
    await record.getByRole('heading', { name: 'Johnny Smith' }).waitFor()

    await page.getByRole('link', { name: 'Edit' }).click()
    const [telephone, address] = [page.getByLabel('Telephone number'), page.getByLabel('Address')]
    await telephone.fill('000')
    const alerts = await page.evaluateHandle(() => {
      const seen: string[] = []
      new MutationObserver(() => {
        for (const alert of document.querySelectorAll('.banner-kept')) seen.push(alert.textContent)
      }).observe(document.body, { childList: true, subtree: true })
      return seen
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await definition('000').waitFor()
    assert.deepEqual(await alerts.jsonValue(), [], 'an own change is not told as that of somebody else')

    await page.getByRole('link', { name: 'Edit' }).click()
    await telephone.waitFor()
    await change({ telephoneNumber: '111' })
    await page.waitForFunction(
      () => [...document.querySelectorAll('input')].some(({ value }) => value === '111'),
      undefined,
      beforePolling,
    )
    await address.last().fill('Kyoto')
    await change({ telephoneNumber: '222', address: 'Nara' })
    const alert = page.getByRole('alert')
    await alert
      .getByText('Somebody else has changed this member meanwhile: Telephone number, Address.')
      .waitFor(beforePolling)
    assert.equal(await telephone.inputValue(), '111')

    await create(api, people[0])
    await api(`DELETE /members/${memberId}`)
    await record.getByRole('alert').getByText('This member was deleted.').waitFor(beforePolling)
    await record.getByRole('definition').getByText('Johnny', { exact: true }).waitFor()
    assert.equal(await record.getByRole('button', { name: 'Delete' }).count(), 0)
    await alert.getByText('This member was deleted.').waitFor(beforePolling)
    assert.equal(await address.last().inputValue(), 'Kyoto')
    await page.getByRole('radio', { name: '日本語' }).check()
    await alert.getByText('この会員は削除されました。').waitFor()
    await page.getByRole('button', { name: '入力した内容で登録し直す' }).waitFor()
  })

  test('appear by polling if the feed is refused (as it always is for members)', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    for (const signId of ['admin', 'john.smith@example.com']) {
      const page = await openPage(t, 'about:blank')
      if (signId === 'admin')
        await page.route('**/changes?*', (route) =>
          route.fulfill({
            status: 503,
            headers: { 'X-Track': 'x' },
            json: { code: 'e.xx.fw.9004', message: 'Busy.' },
          }),
        )
      await page.clock.install()
      const refused = page.waitForResponse(/changes/)
      const unchanged = readAgain(page)
      await page.goto(`${api.management}/#/todos`)
      await signIn(page, signId, signId === 'admin' ? 'admin-password' : 'demodemo')
      assert.equal((await refused).status(), signId === 'admin' ? 503 : 403)
      await unchanged
      await api('POST /todos', { todoTitle: `for ${signId.slice(0, 5)}` }, asAdmin)
      await page.clock.runFor(10_000)
      await page.getByText(`for ${signId.slice(0, 5)}`).waitFor()
      assert.equal(await page.getByText('The service is failing').count(), 0)
    }
  })
})
