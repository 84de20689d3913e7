import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startApp } from '#test/harness.ts'
import { john, people } from '#test/people.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { assertHeldOpen } from './held-open.ts'
import { asAdmin, basic, signIn } from './signing-in.ts'

after(closeBrowser)

const heading = 'firstName,lastName,genderCode,dateOfBirth,emailAddress,address,credential.signId,password'

const csv = [
  heading,
  'Aiko,Tanaka,2,1990-04-01,aiko@example.com,"Tanaka-machi 1,\nTokyo",aiko,demodemo',
  'Bram,de Vries,9,1985-02-03,bram@example.com,,bram,demodemo',
  'Carl,"O""Neil",1,1985-02-03,carl@example.com,,carl,short',
  'Dina,Berg,2,1985-02-03,dina@example.com,,,demodemo',
  'Ed,Fox,1,03/02/1985,ed@example.com,,,demodemo',
  'Gus,,1,1985-02-03,gus.example.com,,,',
].join('\r\n')

suite('importing in the console', { skip }, () => {
  test('a dropped CSV file becomes members, and refused lines are listed with their reasons', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: await filesOf(page, { 'people.csv': csv }) })
    await page.getByText('6 members').waitFor()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'Done' }).waitFor()
    await page.getByRole('status').getByText('Done: 2 imported, 4 refused').waitFor()
    const table = page.getByRole('table', { name: 'Refused records' })
    assert.deepEqual(await table.getByRole('rowheader').allTextContents(), ['4', '5', '7', '8'])
    const refused = await table.locator('tbody tr').allTextContents()
    assert.deepEqual(refused, [
      '4Bram de VriesgenderCode must be 0 for not known, 1 for man, 2 for woman.',
      '5Carl O"Neilpassword size must be between 8 and 128.',
      '7Ed FoxdateOfBirth must be written like 1990-12-31.',
      '8GuslastName is missing. emailAddress must be a well-formed email address. password is missing.',
    ])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the report' }).click(),
    ])
    const report = await textOf(download)
    assert.match(report, /^4,ExistInCodeList,genderCode,/m)
    assert.doesNotMatch(report, /demodemo/)
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByRole('status').getByText('完了：取り込み 2 件、拒否 4 件').waitFor()
    const { body } = await api('GET /members')
    assert.deepEqual(
      (body as { firstName: string; address: string | null; credential: { signId: string } }[])
        .map(({ firstName, address, credential }) => [firstName, address, credential.signId])
        .toSorted(),
      [
        ['Aiko', 'Tanaka-machi 1,\nTokyo', 'aiko'],
        ['Dina', null, 'dina@example.com'],
      ],
    )
  })

  test('the page tells which columns a file must have and which it may have', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    await page.locator('.columns dd').last().waitFor()
    const [members, todos] = await page.locator('.columns dd').allTextContents()
    assert.equal(
      members,
      'firstName, lastName, genderCode, dateOfBirth, emailAddress, password' +
        'Optional: telephoneNumber, zipCode, address, signId',
    )
    assert.equal(todos, 'todoTitleOptional: finished')
  })

  test('the preview names the columns, and shows no password', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: await filesOf(page, { 'people.csv': csv }) })
    const preview = page.getByRole('table', { name: 'The first records' })
    await preview.waitFor()
    assert.deepEqual(await preview.locator('thead th').allTextContents(), [
      'Line',
      ...heading.replace('credential.', '').split(','),
    ])
    const rows = await preview
      .locator('tbody tr')
      .evaluateAll((all) => all.map(({ children }) => [...children].map((cell) => cell.textContent)))
    assert.deepEqual(
      rows.slice(0, 2).map((row) => row.join('|')),
      [
        '2|Aiko|Tanaka|2|1990-04-01|aiko@example.com|Tanaka-machi 1,\nTokyo|aiko|••••',
        '4|Bram|de Vries|9|1985-02-03|bram@example.com||bram|••••',
      ],
    )
    assert.equal(rows.length, 5)
  })

  test('a file may be dropped anywhere, is never opened by the browser, and must be the only one', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/members`)
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
    await page.getByText('6 members').waitFor()
    assert.deepEqual(await drop({ 'todos.csv': 'todoTitle\none\n' }), prevented)
    await page.getByText('people.csv').waitFor()
  })

  const unparsed = 'This line cannot be read as a record.'
  const wide = 'It has more cells than the header line has columns.'
  const undecided = '“finished” is neither true nor false.'
  const files = [
    ['todos.ndjson', '{"todoTitle":"one"}\n{"todoTitle":"two","finished":true}\nnot json\n', unparsed],
    ['todos.json', '[{"todoTitle":"one"},{"todoTitle":"two","finished":true},7]', unparsed, 'Record'],
    ['todos.csv', '\uFEFFtodoTitle,finished\none,false\ntwo,true\nthree,true,too many\n', wide],
    ['spreadsheet.csv', 'todoTitle,finished\none,\ntwo,TRUE\nthree,perhaps\n,\n', undecided],
    ['tabs.txt', 'todoTitle\tfinished\none\t\ntwo\tTRUE\nthree\tperhaps\n', undecided],
  ] as const
  for (const [name, text, reason, unit = 'Line'] of files) {
    test(`${name}: todos are created, and finished where the file says so`, async (t) => {
      const api = await startApp(t)
      const page = await openPage(t, `${api.management}/#/import`)
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) })
      await page.getByText(`3 ${unit.toLowerCase()}s, 1 of them unreadable`).waitFor()
      assert.equal(await page.locator('.import-records thead th').first().textContent(), unit)
      await page.getByRole('button', { name: 'Import', exact: true }).click()
      await page.getByText('2 imported', { exact: true }).waitFor()
      await page.getByText(reason).waitFor()
      await page.getByRole('columnheader', { name: unit }).waitFor()
      const { body } = await api('GET /todos')
      const todos = (body as { todoTitle: string; finished: boolean }[]).map((todo) => [
        todo.todoTitle,
        todo.finished,
      ])
      assert.deepEqual(todos.toSorted(), [
        ['one', false],
        ['two', true],
      ])
    })
  }

  test('a file without readable records is refused with the reason', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    const input = page.locator('input[type=file]')
    const choose = (content: string | Uint8Array) =>
      input.setInputFiles({ name: 'x', mimeType: '', buffer: Buffer.from(content) })
    await choose('colour,size\nred,1\n')
    await page.getByText('Its fields are neither those of members nor those of todos.').waitFor()
    const hashes = 'It contains password hashes, as an export does.'
    await choose(
      `${heading.replace('password', 'credential.passwordHash')}\n${'Aiko,'.repeat(7)}$argon2id$\n`,
    )
    await page.getByText(hashes).waitFor()
    await choose('[]')
    await page.getByText(hashes).waitFor({ state: 'detached' })
    await choose('{"firstName":"Aiko","credential":{"passwordHash":"$argon2id$"}}')
    await page.getByText(hashes).waitFor()
    await choose('[]')
    await page.getByText('It contains no records.').waitFor()
    await choose('just a line of words')
    await page
      .getByText('It is neither CSV with a header line, NDJSON nor a JSON array of records.')
      .waitFor()
    await choose(Uint8Array.from([...Buffer.from('firstName\n'), 0x88, 0xa4, 0x8e, 0x71]))
    await page.getByText('It is not UTF-8.').waitFor()
    await choose(Buffer.from('\uFEFFtodoTitle\none\n', 'utf16le'))
    await page.getByText('It is not UTF-8.').waitFor()
    await choose(Uint8Array.from([0x89, ...Buffer.from('PNG\r\n'), 0x1a, 0x0a, 0, 0, 0, 0x0d]))
    await page.getByText('It is not text.').waitFor()
    await choose('{\n  "todoTitle": "one"\n}\n{\n  "todoTitle": "two"\n}\n')
    await page.getByText('It is neither CSV').waitFor()
    await choose('todoTitle,finished\n"one,false\ntwo,false\n')
    await page.getByText('Line 2: A quote is never closed.').waitFor()
    await choose('todoTitle,finished\none,false\n"two"2,false\n')
    await page.getByText('Line 3: A quote is closed before the end of its cell.').waitFor()
    assert.equal(await input.inputValue(), '', 'the same file cannot be chosen again')
  })

  const headings = [
    ['todoTitle,colour', ['The column colour is unknown.']],
    ['todoTitle,finish', ['The column finish is unknown, the closest is finished.']],
    [
      'todoTitel,finished',
      ['The column todoTitel is unknown, the closest is todoTitle.', 'The column todoTitle is missing.'],
    ],
    ['todoTitle, todoTitle', ['Two columns are named todoTitle.']],
    [`${heading},password`, ['Two columns are named password.']],
    [`${heading},address.street`, ['The column address.street is a part of the column address.']],
    [heading.replace(',password', ''), ['The column password is missing.']],
    [
      heading.replace('genderCode', 'gender'),
      ['The column gender is unknown, the closest is genderCode.', 'The column genderCode is missing.'],
    ],
  ] as const
  test('columns that records do not have, lack or have twice are refused before anything is sent', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    const input = page.locator('input[type=file]')
    for (const [names, reasons] of headings) {
      await input.setInputFiles({ name: names, mimeType: '', buffer: Buffer.from(`${names}\nx,x\n`) })
      await page.getByText(`Not read: ${names}`).waitFor()
      const said = await page.getByRole('alert').locator('p').allTextContents()
      assert.deepEqual(said.slice(1), reasons, names)
    }
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByText('gender という列には対応していません。最も近いのは genderCode です。').waitFor()
  })

  test('an import continues while other pages are shown, and a reload asks for confirmation', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    const release = await holdTodos(page)
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
    assert.equal(((await api('GET /todos')).body as unknown[]).length, 12)
  })

  test('a stopped import can be resumed, and is given up only after confirmation', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    const release = await holdTodos(page)
    const another = page.getByRole('button', { name: 'Another file' })
    await importTwelve(page)
    await page.getByRole('button', { name: 'Stop' }).click()
    release()
    await page.getByText('4 of 12').waitFor()
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
    assert.equal(((await api('GET /todos')).body as unknown[]).length, 12)
  })

  const passing = [
    [500, 'e.xx.fw.9003'],
    [429, 'e.xx.fw.6007'],
  ] as const
  for (const [status, code] of passing) {
    test(`${status}: the import stops, asks for confirmation at a reload, and can be resumed`, async (t) => {
      const api = await startApp(t)
      const page = await openPage(t, `${api.management}/#/import`)
      let answered = 0
      await page.route('**/api/v1/todos', (route) => {
        answered += 1
        if (answered !== 5) return route.continue()
        return route.fulfill({
          status,
          headers: { 'Retry-After': '60', 'X-Track': 'not-now' },
          json: { code, message: 'Not now.' },
        })
      })
      await importTwelve(page)
      await page.getByRole('heading', { name: 'Stopped' }).waitFor()
      await assertHeldOpen(page)
      await page.getByRole('button', { name: 'Resume' }).click()
      await page.getByText('12 imported', { exact: true }).waitFor()
      assert.equal(((await api('GET /todos')).body as unknown[]).length, 12)
      await page.reload()
    })
  }

  test('403: a missing permission stops the import instead of refusing every record', async (t) => {
    const api = await startApp(t, basic)
    await api('POST /members', john, asAdmin)
    const page = await openPage(t, `${api.management}/#/todos`)
    await signIn(page, john.emailAddress, 'demodemo')
    await page.getByText('Nothing to do').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Import' }).click()
    const lines = people.map((person) => JSON.stringify(person))
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'members.ndjson', mimeType: '', buffer: Buffer.from(lines.join('\n')) })
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'Stopped' }).waitFor()
    await page.getByRole('alert').getByText('Access is denied.').waitFor()
    await page.getByText(`0 of ${people.length}`).waitFor()
    assert.equal(await page.locator('.refusals').count(), 0)
    const denied = api.log.filter(({ method, status }) => method === 'POST' && status === 403).length
    assert.ok(denied > 0 && denied <= 4, `${denied} of ${people.length}`)
  })

  test('a record whose answer was lost is not created twice', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, `${api.management}/#/import`)
    let isLost = true
    await page.route('**/api/v1/todos', async (route) => {
      if (!isLost || !route.request().postData()?.includes('todo 3')) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await importTwelve(page)
    await page.getByRole('heading', { name: 'Stopped' }).waitFor()
    isLost = false
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('12 imported', { exact: true }).waitFor()
    assert.equal(((await api('GET /todos')).body as unknown[]).length, 12)
  })
})

const filesOf = (page: Page, files: Readonly<Record<string, string>>) =>
  page.evaluateHandle((files) => {
    const transfer = new DataTransfer()
    for (const [name, text] of Object.entries(files)) transfer.items.add(new File([text], name))
    return transfer
  }, files)

/** Holds the requests of the page to /todos until the function returned is called. */
const holdTodos = async (page: Page) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/v1/todos', async (route) => {
    await released
    await route.continue()
  })
  return release
}

const importTwelve = async (page: Page) => {
  const lines = Array.from({ length: 12 }, (_, index) => JSON.stringify({ todoTitle: `todo ${index}` }))
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'todos.ndjson', mimeType: '', buffer: Buffer.from(lines.join('\n')) })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
}
