import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { startApp } from '#test/harness.ts'
import { john, people } from '#test/people.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { create, hold, names, open, openPages, typeDuringSearch } from './members.ts'

after(closeBrowser)

suite('finding members in the console', { skip }, () => {
  test('the list is searched while one types, sorted and paged', async (t) => {
    const api = await startApp(t)
    const many = [...people, ...people.slice(0, 8)]
    for (const [index, person] of many.entries())
      await create(api, { ...person, credential: { signId: `person ${index}`, password: 'demodemo' } })
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
    assert.equal((await names(page))[0], 'João Almeida')

    await page.keyboard.press('/')
    await page.keyboard.type('  hiroshi　　sato ')
    await page.getByText('2 members with “hiroshi sato”').waitFor()
    await page.keyboard.press('/')
    await page.getByLabel('Search by name').fill('')
    await page.keyboard.type('ＳＡＴＯ')
    await page.getByText('2 members with “ＳＡＴＯ”').waitFor()
    assert.deepEqual(await names(page), ['Hiroshi Sato', 'Hiroshi Sato'])
    const search = page.getByLabel('Search by name')
    assert.equal(await search.evaluate(typeDuringSearch), 'hi')
    await search.fill('nobody at all')
    await page.getByText('Nobody is found by “nobody at all”').waitFor()
    await page.getByRole('status').getByText('0 members with “nobody at all”').waitFor()
    await page.getByRole('link', { name: 'Clear the search' }).press('Enter')
    await page.getByText('1–20 of 21').waitFor()
    await search.and(page.locator(':focus')).waitFor()
  })

  test('Escape clears the search and stays in the field; pressed again, it leaves the empty field', async (t) => {
    const { page } = await open(t, () => 'members?name=nobody')
    await page.getByText('Nobody is found by “nobody”').waitFor()
    const search = page.getByRole('searchbox')
    await search.press('Escape')
    await page.getByText('1–1 of 1').waitFor()
    await page.waitForURL('**/#/members')
    assert.equal(await search.inputValue(), '')
    const isFocused = () => search.evaluate((element) => element === document.activeElement)
    assert.equal(await isFocused(), true)
    await search.press('Escape')
    assert.equal(await isFocused(), false)
  })

  test('the number of a page leads to it, one beyond the end to the last', async (t) => {
    const { page, number } = await openPages(t)
    await number.fill('99')
    await number.press('Enter')
    await page.getByText('41–45 of 45').waitFor()
    await number.and(page.locator(':focus')).waitFor()
    assert.equal(await number.inputValue(), '3')
    await number.fill('２')
    await number.press('Enter')
    await page.getByText('21–40 of 45').waitFor()
    for (const text of ['0', 'two', '', '-1', '1.5', '1e1', '1,0', '3 of 3']) {
      await number.fill(text)
      await number.press('Enter')
      assert.equal(await number.inputValue(), '2')
    }
    await page.waitForURL('**/#/members?page=2')
    await page.goBack()
    await page.getByText('41–45 of 45').waitFor()
    assert.equal(await number.inputValue(), '3')
  })

  test('quick presses of Next all count, and the last page is shown from its top', async (t) => {
    const { page, number } = await openPages(t)
    const release = await hold(page, /members\?.*page=[12]/, 'GET')
    const next = page.getByRole('button', { name: 'Next page' })
    await next.click()
    await next.click()
    await next.and(page.locator('[aria-disabled=true]')).waitFor()
    assert.equal(await number.inputValue(), '3')
    release()
    await page.getByText('41–45 of 45').waitFor()
    await page.waitForURL('**/#/members?page=3')

    await page.setViewportSize({ width: 1280, height: 300 })
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('21–40 of 45').waitFor()
    await page.waitForFunction(() => {
      const { top = -1 } = document.querySelector('.roll')?.getBoundingClientRect() ?? {}
      return scrollY > 0 && top >= 0
    })
    await page.getByRole('columnheader', { name: 'Name' }).click({ trial: true })
  })

  test('who goes Back or scrolls just after turning a page is left there', async (t) => {
    const { page } = await openPages(t)
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.clock.install()
    const next = page.getByRole('button', { name: 'Next page' })
    await next.click()
    await page.getByText('21–40 of 45').waitFor()
    await page.mouse.wheel(0, -100)
    await page.waitForFunction(() => scrollY < document.body.scrollHeight - innerHeight - 50)
    const at = await page.evaluate(() => scrollY)
    await page.clock.runFor(1_000)
    assert.equal(await page.evaluate(() => scrollY), at)

    await next.click()
    await page.getByText('41–45 of 45').waitFor()
    await page.goBack()
    await page.getByText('21–40 of 45').waitFor()
    await page.evaluate(() => scrollTo(0, 400))
    await page.clock.runFor(1_000)
    assert.equal(await page.evaluate(() => scrollY), 400)
  })

  test('a page that is turned just when the one before would be scrolled is shown from its top', async (t) => {
    const { page } = await openPages(t)
    await page.setViewportSize({ width: 1280, height: 300 })
    // The pauses of half a second end when the test says so.
    const settling = await page.evaluateHandle(() => {
      const { setTimeout } = globalThis
      const begun: (() => void)[] = []
      const withhold = (run: () => void, ms?: number) =>
        ms === 500 ? begun.push(run) && 0 : setTimeout(run, ms)
      Object.assign(globalThis, { setTimeout: withhold })
      return { end: () => begun.splice(0).map((run) => run()).length > 0 }
    })
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('21–40 of 45').waitFor()
    await settling.evaluate((settling) => {
      document.querySelector<HTMLElement>('[aria-label="Next page"]')?.click()
      settling.end()
    })
    await page.getByText('41–45 of 45').waitFor()
    await page.waitForFunction((settling) => settling.end(), settling)
    await page.waitForFunction(() => {
      const { top = -1 } = document.querySelector('.roll')?.getBoundingClientRect() ?? {}
      return Math.round(top) === 0
    })
  })

  test('a password is shown while its button is pressed', async (t) => {
    const { page } = await open(t, () => 'members/new')
    const field = page.getByLabel('Password')
    const eye = page.getByRole('button', { name: 'Show “Password”' })
    await field.fill('demodemo')
    await eye.press('Enter')
    await eye.and(page.locator('[aria-pressed=true]:focus')).waitFor()
    assert.deepEqual([await field.getAttribute('type'), await field.inputValue()], ['text', 'demodemo'])
    await eye.press('Space')
    await eye.and(page.locator('[aria-pressed=false]')).waitFor()
    assert.equal(await field.getAttribute('type'), 'password')
  })

  test('required fields are announced as such, before anything is sent', async (t) => {
    const { page } = await open(t, () => 'members/new')
    await page.getByLabel('First name').waitFor()
    const required = await page
      .locator('[aria-required=true]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('name') ?? one.role))
    assert.deepEqual(required, [
      'firstName',
      'lastName',
      'radiogroup',
      'dateOfBirth',
      'emailAddress',
      'credential.password',
    ])
  })

  test('the list is downloaded page by page without passwords, and a download can be stopped', async (t) => {
    const api = await startApp(t, { PAGE_SIZE_MAX: '5' })
    for (const person of people) await create(api, person)
    const page = await openPage(t, `${api.management}/#/members?sort=lastName`)
    await page.getByText(`1–5 of ${people.length}`).waitFor()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/cursor=./, async (route) => {
      await released
      await route.continue()
    })
    const button = page.getByRole('button', { name: 'Download CSV' })
    await button.click()
    await page.getByRole('button', { name: 'Stop, 5 read' }).click()
    await button.waitFor()
    release()
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
    const [heading, ...rows] = (await textOf(download)).trim().split('\r\n')
    assert.match(heading ?? '', /^\uFEFF?memberId,firstName,lastName,.*credential\.signId,/)
    assert.doesNotMatch(heading ?? '', /hash|password(?!LastChangedAt)/i)
    assert.deepEqual(
      rows.map((row) => row.split(',')[2]).toSorted(),
      people.map(({ lastName }) => lastName as string).toSorted(),
    )
    assert.match(rows[0] ?? '', /,João,Almeida,/)
  })

  test('a download continues when its page is left or the list becomes empty', async (t) => {
    const api = await startApp(t, { PAGE_SIZE_MAX: '5' })
    for (const person of people) await create(api, person)
    const page = await openPage(t, `${api.management}/#/members`)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/cursor=./, async (route) => {
      await released
      await route.continue()
    })
    await page.getByRole('button', { name: 'Download CSV' }).click()
    await page.getByRole('button', { name: 'Stop, 5 read' }).waitFor()
    await page.getByRole('link', { name: 'Todos' }).click()
    await page.getByText('Nothing to do').waitFor()
    assert.equal(await page.getByRole('button', { name: /Download CSV|Stop/ }).count(), 0)
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('searchbox').fill('nobody')
    await page.getByText('Nobody is found by “nobody”').waitFor()
    await page.getByRole('button', { name: 'Stop, 5 read' }).waitFor()
    const downloaded = page.waitForEvent('download')
    release()
    const [, ...rows] = (await textOf(await downloaded)).trim().split('\r\n')
    assert.equal(rows.length, people.length)
    await page.getByText(`${people.length} rows saved as CSV`).waitFor()
    await page.getByRole('button', { name: /Download CSV|Stop/ }).waitFor({ state: 'detached' })
  })

  test('a member created elsewhere soon appears in the list', async (t) => {
    const api = await startApp(t)
    await create(api)
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByText('1–1 of 1').waitFor()
    await create(api, people[0])
    await page.getByText('1–2 of 2').waitFor()
    await page.getByRole('link', { name: 'Aiko Tanaka' }).waitFor()
  })

  test('the beginning of an address, a sign id or a telephone number finds its member, also for the download', async (t) => {
    const api = await startApp(t)
    await create(api, { ...john, credential: { signId: 'jsmith', password: 'demodemo' } })
    await create(api, people[0])
    const page = await openPage(t, `${api.management}/#/members`)
    const search = page.getByLabel('Search by name, e-mail, sign id or telephone')
    for (const text of ['JSmi', john.telephoneNumber.slice(0, 6), 'John.Smith@Ex']) {
      await search.fill(text)
      await page.getByRole('status').getByText(`1 member with “${text}”`).waitFor()
      assert.deepEqual(await names(page), ['John Smith'])
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const [, ...lines] = (await textOf(download)).trim().split('\r\n')
    assert.match(lines.join(), /^[^,]+,John,Smith,[^\n]+$/)
    await search.fill('smith@')
    await page.getByRole('status').getByText('0 members with “smith@”').waitFor()
    await page.getByText('of an e-mail address, sign id or telephone number its beginning').waitFor()
  })

  test('Back restores the page, order and scroll position of the list; a bad order can be reset', async (t) => {
    const api = await startApp(t)
    for (let index = 0; index < 45; index++)
      await create(api, { ...john, credential: { signId: `person ${index}`, password: 'demodemo' } })
    const page = await openPage(t, `${api.management}/#/members?page=9999`)
    await page.getByText('41–45 of 45').waitFor()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByText('21–40 of 45').waitFor()
    await page.getByRole('button', { name: 'Name' }).click()
    await page.getByText('1–20 of 45').waitFor()
    await page.goBack()
    await page.getByText('21–40 of 45').waitFor()
    await page.evaluate(() => scrollTo(0, 400))
    await page.getByRole('link', { name: 'John Smith' }).nth(12).click()
    await page.getByText('On the roll since').waitFor()
    await page.goBack()
    await page.getByText('21–40 of 45').waitFor()
    await page.waitForFunction(() => scrollY === 400)
    await page.goto(`${api.management}/#/members?sort=foo`)
    await page.getByText('The address asks for a list that does not exist.').waitFor()
    await page.getByRole('link', { name: 'Reset the list' }).press('Enter')
    await page.getByText('1–20 of 45').waitFor()
    await page.getByRole('heading', { name: 'Members', level: 1 }).and(page.locator(':focus')).waitFor()
  })

  test('Back and the links to the list lead to it as it was, and never to a finished form', async (t) => {
    const api = await startApp(t)
    for (const [index, person] of [...people, ...people].entries())
      await create(api, { ...person, credential: { signId: `person ${index}`, password: 'demodemo' } })
    const list = `${api.management}/#/members?name=a&sort=lastName%2Cdesc&page=2`
    const page = await openPage(t, list)
    const member = page.getByRole('link', { name: 'João Almeida' })
    await member.nth(1).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Address', { exact: true }).fill('Porto')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('João Almeida is saved').waitFor()
    await page.getByText('Porto').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'João Almeida', exact: true }).waitFor()
    await page.goBack()
    await page.waitForURL(list)
    await member.nth(1).click()
    await page.getByRole('main').getByRole('link', { name: 'Members' }).click()
    await page.waitForURL(list)
    await page.keyboard.press('n')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.waitForURL(list)
    await member.nth(1).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(list)
    await page.goBack()
    await page.waitForURL(list)
  })
})
