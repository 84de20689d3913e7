import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { people } from '#test/people.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { holdRequests } from './console.ts'
import { create, openMany, shownNames, withSignId } from './members.ts'

after(closeBrowser)

/** Types a letter while the search for the previous one is running, and returns the text of the field soon after. */
const typeDuringSearch = async (element: Element) => {
  const input = element as HTMLInputElement
  const type = (text: string) => {
    input.value = text
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  type('h')
  await pause(182)
  type('hi')
  await pause(100)
  return input.value
}

suite('finding members in the console', { skip }, () => {
  test('Twenty members are visible without scrolling, and each row is at least 24 pixels high.', async (t) => {
    const { page } = await openMany(t, 20)
    await page.setViewportSize({ width: 1440, height: 900 })
    const heights = await page.locator('tbody tr').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const { bottom, height } = row.getBoundingClientRect()
        return bottom <= innerHeight ? height : []
      }),
    )
    assert.equal(heights.length, 20)
    assert.ok(Math.min(...heights) >= 24)
  })

  test('A name in a script that begins with the family name is shown in that order in every language.', async (t) => {
    const api = await startApp(t)
    await create(api, { ...people[0], firstName: '花子', lastName: '佐藤' })
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByRole('link', { name: '佐藤 花子' }).waitFor()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.getByRole('columnheader', { name: 'Last name' }).waitFor()
  })

  test('the list is searched while the user types, sorted and paged; Escape clears the search, and then leaves the field', async (t) => {
    const api = await startApp(t)
    const many = [...people, ...people.slice(0, 8)]
    for (const [index, person] of many.entries()) await create(api, withSignId(`seat${index}`, person))
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByText('1–20 of 21').waitFor()
    const next = page.getByRole('button', { name: 'Next page' })
    await next.press('Enter')
    await page.getByText('21–21 of 21').waitFor()
    assert.equal(await next.evaluate((element) => element === document.activeElement), true)
    await next.press('Enter')
    await page.getByText('21–21 of 21').waitFor()

    await page.getByRole('button', { name: 'Name' }).click()
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=ascending]'))
      .waitFor()
    await page.getByText('1–20 of 21').waitFor()
    assert.equal((await shownNames(page))[0], 'João Almeida')

    await page.keyboard.press('/')
    await page.keyboard.type('  hiroshi　　sato ')
    await page.getByText('2 members with “hiroshi sato”').waitFor()
    assert.deepEqual(await shownNames(page), ['Hiroshi Sato', 'Hiroshi Sato'])
    const search = page.getByLabel('Search by name, e-mail, sign id or telephone')
    assert.equal(await search.evaluate(typeDuringSearch), 'hi')
    await search.fill('smith@')
    await page.getByText('Nobody found for “smith@”').waitFor()
    await page.getByText('an e-mail address, sign id or telephone number by its beginning').waitFor()
    await page.getByRole('status').getByText('0 members with “smith@”').waitFor()
    await page.getByRole('link', { name: 'Clear the search' }).press('Enter')
    await page.getByText('1–20 of 21').waitFor()
    await search.and(page.locator(':focus')).waitFor()

    await search.fill('seat20')
    await page.getByText('1 member with “seat20”').waitFor()
    await search.press('Escape')
    await page.getByText('1–20 of 21').waitFor()
    assert.equal(await search.inputValue(), '')
    await search.and(page.locator(':focus')).waitFor()
    await search.press('Escape')
    assert.equal(await search.evaluate((element) => element === document.activeElement), false)
  })

  test('the pages of a list', async (t) => {
    const { api, page } = await openMany(t, 45)
    const number = page.getByRole('navigation', { name: 'Pages of the list' }).getByRole('textbox')
    const next = page.getByRole('button', { name: 'Next page' })
    const previous = page.getByRole('button', { name: 'Previous page' })
    const first = page.getByText('1–20 of 45')
    const second = page.getByText('21–40 of 45')
    const last = page.getByText('41–45 of 45')

    await t.test('are turned by number, and a number beyond the end leads to the last page', async () => {
      await number.fill('99')
      await number.press('Enter')
      await last.waitFor()
      await number.and(page.locator(':focus')).waitFor()
      assert.equal(await number.inputValue(), '3')
      await number.fill('２')
      await number.press('Enter')
      await second.waitFor()
      for (const text of ['0', 'two', '', '-1', '1.5', '1e1', '1,0', '3 of 3']) {
        await number.fill(text)
        await number.press('Enter')
        assert.equal(await number.inputValue(), '2')
      }
      await page.waitForURL('**/#/members?page=2')
      await page.goBack()
      await last.waitFor()
      assert.equal(await number.inputValue(), '3')
    })

    await t.test('are restored by Back, with their order and scroll position', async () => {
      await page.goto(`${api.management}/#/members?page=9999`)
      await page.waitForURL('**/#/members?page=3')
      await last.waitFor()
      await previous.click()
      await second.waitFor()
      await page.getByRole('button', { name: 'Name' }).click()
      await first.waitFor()
      await page.goBack()
      await second.waitFor()
      await page.setViewportSize({ width: 1280, height: 500 })
      await page.evaluate(() => scrollTo(0, 400))
      await page.locator('tbody th a').nth(12).click()
      await page.getByText('On the roll since').waitFor()
      await page.goBack()
      await second.waitFor()
      await page.waitForFunction(() => scrollY === 400)
      const heading = page.locator('thead th').first()
      assert.equal(await heading.evaluate((cell) => cell.getBoundingClientRect().top), 0)
    })

    await t.test('turn twice on two quick presses, and are shown from the top', async () => {
      await page.goto(`${api.management}/#/members`)
      await first.waitFor()
      const release = await holdRequests(page, /members\?.*page=[12]/, 'GET')
      await next.click()
      await next.click()
      await next.and(page.locator('[aria-disabled=true]')).waitFor()
      assert.equal(await number.inputValue(), '3')
      release()
      await last.waitFor()
      await page.waitForURL('**/#/members?page=3')

      await page.setViewportSize({ width: 1280, height: 300 })
      await previous.click()
      await second.waitFor()
      await page.waitForFunction(() => {
        const { top = -1 } = document.querySelector('.roll')?.getBoundingClientRect() ?? {}
        return scrollY > 0 && top >= 0
      })
      await page.getByRole('columnheader', { name: 'Name' }).click({ trial: true })
    })

    await t.test('are shown from the top even if a scroll was pending for the previous page', async () => {
      await page.goto(`${api.management}/#/members`)
      await first.waitFor()
      // The pauses of half a second end when the test says so.
      const settling = await page.evaluateHandle(() => {
        const { setTimeout } = globalThis
        const begun: (() => void)[] = []
        const withhold = (run: () => void, ms?: number) =>
          ms === 500 ? begun.push(run) && 0 : setTimeout(run, ms)
        Object.assign(globalThis, { setTimeout: withhold })
        return { end: () => begun.splice(0).map((run) => run()).length > 0 }
      })
      // The last page has few rows, and can be scrolled to its top only in a low window.
      await page.setViewportSize({ width: 1280, height: 200 })
      await next.click()
      await second.waitFor()
      await settling.evaluate((settling) => {
        document.querySelector<HTMLElement>('[aria-label="Next page"]')?.click()
        settling.end()
      })
      await last.waitFor()
      await page.waitForFunction((settling) => settling.end(), settling)
      await page.waitForFunction(() => {
        const { top = -1 } = document.querySelector('.roll')?.getBoundingClientRect() ?? {}
        return Math.round(top) === 0
      })
      await page.setViewportSize({ width: 1280, height: 300 })
    })

    await t.test(
      'are shown unchanged when the user returns by Back or by a link, and Back skips finished forms',
      async () => {
        const list = `${api.management}/#/members?name=smith&sort=lastName%2Cdesc&page=2`
        await page.goto(list)
        await page.getByText('45 members with “smith”').waitFor()
        await second.waitFor()
        const member = page.locator('tbody th a').nth(1)
        const name = (await member.textContent()) ?? ''
        await member.click()
        await page.getByRole('link', { name: 'Edit' }).click()
        await page.getByLabel('Address', { exact: true }).fill('Porto')
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText(`${name} is saved`).waitFor()
        await page.getByText('Porto').waitFor()
        await page.goBack()
        await page.getByRole('heading', { name, exact: true }).waitFor()
        await page.goBack()
        await page.waitForURL(list)
        await member.click()
        await page.getByRole('main').getByRole('link', { name: 'Members' }).click()
        await page.waitForURL(list)
        await page.keyboard.press('n')
        await page.getByRole('link', { name: 'Cancel' }).click()
        await page.waitForURL(list)
        await member.click()
        await page.getByRole('button', { name: 'Delete' }).click()
        await page.waitForURL(list)
        await page.goBack()
        await page.waitForURL(list)
        await page.getByRole('button', { name: 'Undo' }).last().click()
        await second.waitFor()
      },
    )

    await t.test('have the number of rows that was chosen last', async () => {
      const rows = page.getByLabel('Rows')
      await rows.selectOption('50')
      await page.getByText('1–45 of 45').waitFor()
      await page.getByRole('link', { name: 'Todos' }).click()
      await page.reload()
      await page.getByRole('link', { name: 'Members' }).click()
      await page.getByText('1–45 of 45').waitFor()
      await rows.selectOption('20')
      await first.waitFor()
    })

    await t.test('do not scroll after Back or after the user has scrolled', async () => {
      await page.clock.install()
      await next.click()
      await second.waitFor()
      await page.mouse.wheel(0, -100)
      await page.waitForFunction(() => scrollY < document.body.scrollHeight - innerHeight - 50)
      const at = await page.evaluate(() => scrollY)
      await page.clock.runFor(1_000)
      assert.equal(await page.evaluate(() => scrollY), at)

      await next.click()
      await last.waitFor()
      await page.goBack()
      await second.waitFor()
      await page.evaluate(() => scrollTo(0, 400))
      await page.clock.runFor(1_000)
      assert.equal(await page.evaluate(() => scrollY), 400)
    })
  })

  test('the list is downloaded page by page without passwords, also while another page is shown, until it is stopped', async (t) => {
    const api = await startApp(t, { PAGE_SIZE_MAX: '5' })
    for (const person of people) await create(api, person)
    const page = await openPage(t, `${api.management}/#/members?sort=lastName`)
    await page.getByText(`1–5 of ${people.length}`).waitFor()
    const release = await holdRequests(page, /cursor=./)
    const begin = async () => {
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await page.getByRole('button', { name: 'Exact (CSV)' }).click()
    }
    const stop = page.getByRole('button', { name: `Stop (5 of ${people.length} read)` })
    await begin()
    await stop.click()
    await begin()
    await stop.waitFor()
    await page.getByRole('link', { name: 'Todos' }).click()
    await page.getByText('Nothing to do').waitFor()
    assert.equal(await page.getByRole('button', { name: /Export|Stop/ }).count(), 0)
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText('Nobody found for “nobody”').waitFor()
    await stop.waitFor()
    const downloaded = page.waitForEvent('download')
    release()
    const [heading, ...rows] = (await textOf(await downloaded)).trim().split('\r\n')
    await page.getByText(`${people.length} rows saved`).waitFor()
    await page.getByRole('button', { name: /Export|Stop/ }).waitFor({ state: 'detached' })
    assert.match(heading ?? '', /^\uFEFF?memberId,firstName,lastName,.*credential\.signId,/)
    assert.doesNotMatch(heading ?? '', /hash|password(?!LastChangedAt)/i)
    assert.deepEqual(
      rows.map((row) => row.split(',')[2]).toSorted(),
      people.map(({ lastName }) => lastName as string).toSorted(),
    )
    assert.match(rows[0] ?? '', /,João,Almeida,/)
  })
})
