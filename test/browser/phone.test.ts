import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { people } from '#test/people.ts'
import { violations } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { chooseFile, fill, openConsole, widthOf } from './console.ts'

after(closeBrowser)

suite('the console on a phone', { skip }, () => {
  test('nothing is wider than the page, not even a long search or column name, and axe finds nothing', async (t) => {
    const { api, memberId } = await fill(t)
    const { body } = await api('POST /members', {
      ...people[4],
      firstName: 'W'.repeat(120),
      lastName: 'x'.repeat(120),
    })
    const { memberId: longId } = body as { memberId: string }
    const page = await openPage(t, `${api.management}/`, {
      viewport: { width: 320, height: 740 },
      hasTouch: true,
      isMobile: true,
    })
    const ofMembers = [memberId, `${longId}/edit`, longId, 'new'].map((path) => `members/${path}`)
    for (const path of ['overview', 'todos', 'members', ...ofMembers, 'import', 'webhooks', 'service']) {
      await page.goto(`${api.management}/#/${path}`)
      await page.locator('h1', { hasNotText: '…' }).waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      const width = await widthOf(page)
      assert.ok(width <= 320, `${path} is ${width} wide`)
      assert.deepEqual(await violations(page), [], path)
    }
    await page.getByRole('button', { name: 'More' }).click()
    const more = page.getByRole('dialog', { name: 'More' })
    await more.getByRole('link', { name: 'API documentation' }).waitFor()
    assert.deepEqual(await violations(page), [])
    await more.getByRole('button', { name: 'Keyboard shortcuts' }).click()
    await page.getByRole('radio', { name: 'Off' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More' }).and(page.locator(':focus')).waitFor()

    await page.setViewportSize({ width: 375, height: 740 })
    await page.goto(`${api.management}/#/members?name=${'M'.repeat(30)}`)
    await page.getByRole('status').getByText('0 members with').waitFor()
    assert.equal(await widthOf(page), 375)
    await page.goto(`${api.management}/#/import`)
    const name = 'M'.repeat(60)
    await chooseFile(page, `todoTitle,${name}\none,two\n`, name)
    await page.getByRole('combobox', { name }).waitFor()
    assert.equal(await widthOf(page), 375)
  })

  test('column headings can be reached, names and dates do not touch, and the pager fits on one line', async (t) => {
    const { api } = await fill(t)
    await api('POST /members', { ...people[4], firstName: 'W'.repeat(60) })
    for (const locale of ['en', 'ja']) {
      const page = await openPage(t, `${api.management}/#/members`, {
        viewport: { width: 360, height: 740 },
        locale,
      })
      await page.locator('.pager').waitFor()
      const boxes = (selector: string) =>
        page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()))
      const [card] = await boxes('.roll')
      const headings = (await boxes('thead button')).filter(({ width }) => width > 0)
      assert.equal(headings.length, 4)
      for (const { right } of headings)
        assert.ok(right < card?.right, `${locale}: ${right} of ${card?.right}`)
      const [name] = await boxes('tbody .col-name')
      const [day] = await boxes('tbody .col-createdAt')
      assert.ok(day?.left - name?.right >= 8, `${locale}: ${name?.right} and ${day?.left}`)
      const tops = (await boxes('.pager > *')).map(({ top, height }) => Math.round(top + height / 2))
      assert.ok(Math.max(...tops) - Math.min(...tops) < 8, `${locale}: ${tops}`)
      await page.setViewportSize({ width: 220, height: 740 })
      const [first, ...others] = (await boxes('thead button')).filter(({ width }) => width > 0)
      assert.ok(
        others.every(({ left }) => left >= first?.left - 1),
        'a second line of headings begins below the first',
      )
      await page.goto(`${api.management}/#/webhooks`)
      await page
        .getByRole('link', { name: locale === 'ja' ? 'Webhookを登録' : 'New webhook' })
        .first()
        .waitFor()
    }
  })

  test('no focused field is covered by the navigation bar', async (t) => {
    const { page } = await openConsole(t, 'members/new', { viewport: { width: 390, height: 500 } })
    await page.getByLabel('First name').focus()
    const isCovered = () =>
      page.evaluate(() => {
        const bottom = document.activeElement?.getBoundingClientRect().bottom ?? 0
        return bottom > (document.querySelector('.nav')?.getBoundingClientRect().top ?? 0)
      })
    for (let steps = 0; steps < 10; steps++) {
      assert.equal(await isCovered(), false)
      await page.keyboard.press('Tab')
    }
    await page.setViewportSize({ width: 740, height: 360 })
    const bar = page.getByRole('navigation')
    assert.equal(await bar.evaluate((element) => getComputedStyle(element).position), 'static')
  })
})
