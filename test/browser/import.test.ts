import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { closeBrowser, skip, textOf } from './browser.ts'
import { assertHeldOpen, choose, hold, openConsole, titles } from './console.ts'

after(closeBrowser)

const heading = 'firstName,lastName,genderCode,dateOfBirth,emailAddress,address,credential.signId,password'

const csv = [
  heading,
  'Aiko,Tanaka,2,1990-04-01,aiko@example.com,"Tanaka-machi 1,\nTokyo",aiko,demodemo',
  'Bram,de Vries,9,1985-02-03,bram@example.com,,bram,demodemo',
  'Carl,"O""Neil",1,1985-02-03,carl@example.com,,carl,short',
  'Dina,Berg,2,1985-02-03,dina@example.com,,,demodemo',
  'Ed,Fox,1,03/02/1985,ed@example.com,=cmd|x,,demodemo',
  'Gus,,1,1985-02-03,gus.example.com,,,',
].join('\r\n')

suite('importing in the console', { skip }, () => {
  test('a dropped CSV file becomes members; rows with faults are known at once, and mended in a file of their own', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: await filesOf(page, { 'people.csv': csv }) })
    await page.getByText('2 members, 4 rows with faults').waitFor()
    const table = page.getByRole('table', { name: 'Refused records' })
    assert.deepEqual(await table.locator('tbody tr').allTextContents(), [
      '4Bram de VriesGender must be man, woman or not known.',
      '5Carl O"NeilPassword: 8 to 128 characters.',
      '7Ed FoxDate of birth must be a date such as 1990-12-31.',
      '8GusLast name is missing. E-mail address: This is not an e-mail address. Password is missing.',
    ])
    assert.equal(api.log.filter(({ method }) => method === 'POST').length, 0, 'something was sent')
    await importAs(page, 'Done: 2 imported, 4 refused')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save these rows' }).click(),
    ])
    const report = await textOf(download)
    assert.match(report, /^Reason,firstName,/)
    assert.match(
      report,
      /^Date of birth must be a date such as 1990-12-31\.,Ed,Fox,1,03\/02\/1985,ed@example\.com,'=cmd\|x,/m,
    )
    const mended = report
      .replace('de Vries,9', 'de Vries,male')
      .replace('short', 'long enough')
      .replace('03/02/1985', '3.2.1985')
      .replace('Gus,,1,1985-02-03,gus.example.com,,,', 'Gus,Hill,1,1985-02-03,gus@example.com,,,demodemo')
    const drop = async () => {
      await page.getByRole('button', { name: 'Another file' }).click()
      await choose(page, mended)
      await page.getByText('4 members', { exact: true }).waitFor()
      assert.equal(await page.locator('.import-columns ul').isVisible(), false)
    }
    await drop()
    await importAs(page, 'Done: 4 imported, 0 refused')
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByRole('status').getByText('完了：取り込み 4 件、拒否 0 件').waitFor()
    await page.getByRole('radio', { name: 'EN' }).check()
    await drop()
    await importAs(page, 'Nothing was imported: 0 imported, 4 refused')
    const { body } = await api('GET /members')
    assert.deepEqual(
      (body as { firstName: string; address: string | null; credential: { signId: string } }[])
        .map(({ firstName, address, credential }) => [firstName, address, credential.signId])
        .toSorted(),
      [
        ['Aiko', 'Tanaka-machi 1,\nTokyo', 'aiko'],
        ['Bram', null, 'bram'],
        ['Carl', null, 'carl'],
        ['Dina', null, 'dina@example.com'],
        ['Ed', '=cmd|x', 'ed@example.com'],
        ['Gus', null, 'gus@example.com'],
      ],
    )
  })

  test('the page tells which columns a file must have and may have, and why and where one cannot be read', async (t) => {
    const { page } = await openConsole(t, 'import')
    await page.locator('.columns p').last().waitFor()
    const [members, todos] = await page.locator('.columns p').allTextContents()
    assert.equal(
      members,
      'MembersFirst name, Last name, Gender, Date of birth, E-mail address, Password' +
        'Optional: Telephone number, Zip code, Address, Sign id',
    )
    assert.equal(todos, 'TodosTitleOptional: Finished')
    await choose(page, 'todoTitle,finished\n"one,false\ntwo,false\n')
    await page.getByText('Line 2: A quote is never closed.').waitFor()
    await choose(page, '[]')
    await page.getByText('It contains no records.').waitFor()
    assert.equal(
      await page.locator('input[type=file]').inputValue(),
      '',
      'the same file cannot be chosen again',
    )
  })

  test('columns of another program are chosen once, and missing passwords are handed out as a file', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    const shiftJis = Buffer.from([0x88, 0xa4, 0x8e, 0x71])
    const file = (mail: string) =>
      Buffer.concat([
        Buffer.from('No,Nickname,Surname,Sex,Born on,Mail\n1,'),
        shiftJis,
        Buffer.from(`,Berg,f,03/02/1985,${mail}\n2,`),
        shiftJis,
        Buffer.from(`,Fox,M,04/02/1985,x${mail}\n`),
      ])
    await choose(page, file('a@example.com'))
    await page.getByText('No column is “First name”. Choose one above.').waitFor()
    assert.equal(await page.locator('.refusals').count(), 0)
    await page.getByText('愛子', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Nickname' }).selectOption('First name')
    await page.getByRole('radio', { name: 'Day/month/year' }).check()
    await page.getByText('0 members, 2 rows with faults').waitFor()
    await page.getByRole('radio', { name: 'Generate passwords' }).check()
    await page.getByText('2 members', { exact: true }).waitFor()
    const [handed] = await Promise.all([page.waitForEvent('download'), importAs(page, 'Done: 2 imported')])
    assert.match(await textOf(handed), /^愛子,Berg,a@example\.com,[0-9a-f]{16}$/m)
    const { body } = await api('GET /members')
    assert.deepEqual(
      (body as { firstName: string; genderCode: string; dateOfBirth: string }[])
        .map(({ firstName, genderCode, dateOfBirth }) => [firstName, genderCode, dateOfBirth])
        .toSorted(),
      [
        ['愛子', '1', '1985-02-04'],
        ['愛子', '2', '1985-02-03'],
      ],
    )
    await page.reload()
    await choose(page, file('b@example.com'))
    await page.getByText('rows with faults').waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Nickname' }).inputValue(), 'firstName')
    assert.equal(await page.getByText('No column is').count(), 0)
  })

  test('a file may be dropped anywhere, is never opened by the browser, and must be the only one', async (t) => {
    const { page } = await openConsole(t, 'members')
    await page.getByText('drop a file with many').waitFor()
    const drop = async (files: Readonly<Record<string, string>>) => {
      const init = { dataTransfer: await filesOf(page, files), bubbles: true, cancelable: true }
      return page.evaluate((init) => {
        const events = ['dragover', 'drop'].map((type) => new DragEvent(type, init))
        return events.map((event) => document.body.dispatchEvent(event))
      }, init)
    }
    const prevented = [false, false]
    assert.deepEqual(await drop({ 'one.csv': csv, 'other.csv': csv }), prevented)
    await page.getByText('Not read: one.csv, other.csv').waitFor()
    await page.getByText('Only one file can be imported at a time.').waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    assert.deepEqual(await drop({ 'people.csv': csv }), prevented)
    await page.getByText('2 members, 4 rows with faults').waitFor()
    assert.deepEqual(await drop({ 'todos.csv': 'todoTitle\none\n' }), prevented)
    await page.getByText('people.csv').waitFor()
  })

  test('todos are created, and finished where the file says so', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    await choose(page, '[{"todoTitle":"one"},{"todoTitle":"two","finished":true},7]')
    await page.getByText('2 todos, 1 row with faults').waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('2 imported', { exact: true }).waitFor()
    await page.getByText('This line cannot be read as a record.').waitFor()
    await page.getByRole('columnheader', { name: 'Record' }).waitFor()
    assert.deepEqual((await titles(api)).toSorted(), ['○ one', '✓ two'].toSorted())
  })

  test('an import continues while other pages are shown, can be stopped and resumed, and is given up only after confirmation', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    const release = await hold(page, '**/api/v1/todos')
    await importTwelve(page)
    await page.getByRole('link', { name: 'Members' }).click()
    await assertHeldOpen(page)
    const progressLink = page.getByRole('link', { name: 'Importing: 0 of 12' })
    await progressLink.waitFor()
    release()
    await progressLink.waitFor({ state: 'detached' })
    await page.getByRole('log').getByText('Import: Done').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Import' }).click()
    await page.getByText('12 imported', { exact: true }).waitFor()

    const another = page.getByRole('button', { name: 'Another file' })
    await another.click()
    const releaseAgain = await hold(page, '**/api/v1/todos')
    await importTwelve(page)
    await page.getByRole('button', { name: 'Stop' }).click()
    releaseAgain()
    await page.getByText('4 of 12').waitFor()
    assert.equal((await page.locator('.actions .button').first().textContent())?.trim(), 'Resume')
    await another.click()
    await page.getByText('8 records of this file have not been imported yet').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('12 imported', { exact: true }).waitFor()
    await another.click()
    await page.getByText('Drop a file here').waitFor()
    await page.route('**/api/v1/todos', (route) => route.abort())
    await importTwelve(page)
    await another.click()
    await page.getByRole('button', { name: 'Give up' }).click()
    await page.getByText('Drop a file here').waitFor()
    assert.equal((await titles(api)).length, 24)
  })

  const notNow = (status: number, code: string) => (route: Route) =>
    route.fulfill({
      status,
      headers: { 'Retry-After': '60', 'X-Track': 'not-now' },
      json: { code, message: 'Not now.' },
    })
  const lose = async (route: Route) => {
    await route.fetch()
    await route.abort()
  }

  test('an import that fails for now stops, asks for confirmation at a reload, and is resumed without creating anything twice', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    for (const spoil of [notNow(500, 'e.xx.fw.9003'), notNow(429, 'e.xx.fw.6007'), lose]) {
      let isSpoilt = true
      await page.route('**/api/v1/todos', (route) =>
        isSpoilt && route.request().postData()?.includes('todo 3') ? spoil(route) : route.continue(),
      )
      await importTwelve(page)
      await page.getByRole('heading', { name: 'Stopped' }).waitFor()
      await assertHeldOpen(page)
      isSpoilt = false
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByText('12 imported', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Another file' }).click()
      await page.unroute('**/api/v1/todos')
    }
    assert.equal((await titles(api)).length, 36)
    await page.reload()
  })
})

/** Starts the import, and waits for this outcome. */
const importAs = async (page: Page, outcome: string) => {
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('status').getByText(outcome).waitFor()
}

const filesOf = (page: Page, files: Readonly<Record<string, string>>) =>
  page.evaluateHandle((files) => {
    const transfer = new DataTransfer()
    for (const [name, text] of Object.entries(files)) transfer.items.add(new File([text], name))
    return transfer
  }, files)

const importTwelve = async (page: Page) => {
  const lines = Array.from({ length: 12 }, (_, index) => JSON.stringify({ todoTitle: `todo ${index}` }))
  await choose(page, lines.join('\n'))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
}
