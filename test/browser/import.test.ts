import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip, textOf } from './browser.ts'
import { chooseFile, holdRequests, openConsole, untilPainted, waitForAnswer } from './console.ts'
import { openLoans } from './loan.ts'

after(closeBrowser)

const csv = [
  'firstName,lastName,genderCode,dateOfBirth,emailAddress,credential.signId,credential.password',
  'Aiko,Tanaka,2,1990-04-01,aiko@example.com,aiko,demodemo',
  'Bram,de Vries,9,1985-02-03,bram@example.com,bram,demodemo',
  'Carl,Hill,9,1985-02-03,carl@example.com,carl,demodemo',
  'Dina,Berg,2,1985-02-03,dina.example.com,,demodemo',
].join('\r\n')

interface Person {
  readonly firstName: string
  readonly genderCode: string
}

/** Repeats the current answer once, as if a correction were not validated yet. */
const answerOnceAsBefore = async (page: Page, url: string) => {
  const current = page.waitForResponse(url)
  await page.reload()
  const body = await (await current).body()
  await page.route(url, (route) => route.fulfill({ body, contentType: 'application/json' }), { times: 1 })
}

suite('importing in the console', { skip }, () => {
  test('rows are corrected in the page, applied, shown as changed the next time, and undone', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    const people = async () =>
      ((await api('GET /members')).body as Person[])
        .map((one) => `${one.firstName} ${one.genderCode}`)
        .toSorted()
    await chooseFile(page, csv)
    await button(page, 'Add 1').waitFor()
    assert.deepEqual(await people(), [])
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
    await rowOf('Bram').getByText('Gender (9):').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await answerOnceAsBefore(page, '**/imports/*/rows?*')
    await rowOf('Bram').getByRole('radio', { name: 'Not known' }).check()
    await rowOf('Bram').getByRole('button', { name: 'Correct all rows with this value' }).click()
    await rowOf('Bram').waitFor({ state: 'detached' })
    await button(page, 'Add 3').waitFor()
    await rowOf('Dina').getByRole('textbox').fill('dina@example.com')
    await rowOf('Dina').getByRole('button', { name: 'Correct', exact: true }).click()
    await button(page, 'Add 4').click()
    await page.locator('h1:focus').waitFor()
    await button(page, 'Undo this import').waitFor()
    assert.deepEqual(await people(), ['Aiko 2', 'Bram 0', 'Carl 0', 'Dina 2'])
    await link(page, 'Another file').click()
    await page
      .getByRole('listitem')
      .filter({ has: link(page, 'people.csv') })
      .getByText(/^somebody without a sign-in, /)
      .waitFor()

    await chooseFile(page, csv.replace('Aiko,Tanaka,2', 'Aiko,Tanaka,0').replace(/\r\n(Carl|Dina).*/g, ''))
    await button(page, 'Change 1').waitFor()
    await page.getByRole('radio', { name: /^Changed/ }).check()
    await page.getByText('Gender: Woman → Not known').waitFor()
    await button(page, 'Change 1').click()
    await button(page, 'Undo this import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo this import' }).click()
    await page.getByText('Undone').waitFor()
    await page.getByRole('radio', { name: /^Refused/ }).check()
    await rowOf('Gender (9):').waitFor()
    assert.equal(await rowOf('Gender (9):').getByRole('button').count(), 0)
    assert.deepEqual(await people(), ['Aiko 2', 'Bram 0', 'Carl 0', 'Dina 2'])
  })

  test('after a correction, nothing can be added until the page shows how many rows would be added', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    await chooseFile(page, csv)
    await button(page, 'Add 1').waitFor()
    const release = await holdRequests(page, /imports\/[\w-]+$/, 'GET')
    const dina = page.getByRole('row').filter({ hasText: 'Dina' })
    await dina.getByRole('textbox').fill('dina@example.com')
    const isCorrected = waitForAnswer(page, 'PATCH')
    await dina.getByRole('button', { name: 'Correct', exact: true }).click()
    await isCorrected
    await untilPainted(page)
    await button(page, 'Add 1').click({ force: true })
    release()
    await button(page, 'Add 2').click()
    await button(page, 'Undo this import').waitFor()
    assert.equal(((await api('GET /members')).body as Person[]).length, 2)
    assert.equal(await page.getByRole('log').textContent(), '')
  })

  test('a choice that the user must make is asked for next to its control', async (t) => {
    const { page } = await openConsole(t, 'import')
    const nameless = csv.replaceAll(/,[^,\r]*(\r|$)/g, '$1').replace('firstName', 'Rufname')
    await chooseFile(page, nameless)
    await page.getByRole('alert').getByText('Choose what happens to rows without a password.').waitFor()
    assert.equal(await button(page, /^Add/).count(), 0)
    await page.route('**/imports/*', async (route) => {
      if (route.request().method() === 'PATCH') await sleep(1_000)
      await route.continue()
    })
    await page.getByRole('combobox', { name: 'Rufname' }).selectOption('First name')
    // The panel folds when nothing is left to choose.
    const withoutPassword = page.getByRole('radio', {
      name: 'Import without a password',
      includeHidden: true,
    })
    await withoutPassword.check()
    const isChecked: boolean[] = []
    for (const _ of Array(15)) {
      isChecked.push(await withoutPassword.isChecked())
      await sleep(100)
    }
    assert.ok(isChecked.every(Boolean), 'the answer to the first choice undid the second')
    await button(page, 'Add 1').waitFor()
  })

  test('generated passwords are offered as a file at the end, with a warning, and not after an undo', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    await chooseFile(page, csv.replaceAll(/,[^,\r]*(\r|$)/g, '$1').replaceAll(',9,', ',0,'))
    await page.getByRole('radio', { name: 'Make a password' }).check()
    await button(page, 'Add 3').click()
    await page.getByText('Anybody who has this file can sign in as these members.').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    const saving = page.waitForEvent('download')
    await button(page, 'Save 3 passwords as CSV').click()
    const [head, first] = (await textOf(await saving)).split('\r\n')
    assert.deepEqual(
      [head, first?.slice(0, -19)],
      ['Sign id,Last name,First name,Password', 'aiko,Tanaka,Aiko,'],
    )
    assert.equal(((await api('GET /members')).body as object[]).length, 3)
    await button(page, 'Undo this import').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo this import' }).click()
    await page.getByText('Undone').waitFor()
    assert.equal(await button(page, /^Save/).count(), 0)
  })

  test('the user can choose a column of full names, a field without a column, and another line of headings', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    const rows = ['Ann Lee,ann@example.com', 'Bob Ray,bob@example.com']
    await chooseFile(page, ['Staff,', 'Name,E-mail', ...rows].join('\n'))
    await page.getByRole('radio', { name: 'Import without a password' }).check()
    const name = page.getByRole('combobox', { name: 'Name' })
    assert.equal(await name.locator('option:checked').textContent(), 'Full name (first last)')
    await name.selectOption('Full name (last first)')
    const ann = page.getByRole('row').filter({ hasText: 'Lee Ann' })
    await ann.getByRole('radio', { name: 'Not known' }).check()
    await ann.getByRole('button', { name: 'Fill all rows without a value' }).first().click()
    await page.getByText('Gender: This is required.').first().waitFor({ state: 'detached' })
    await ann.locator('input[type=date]').fill('1990-04-01')
    await ann.getByRole('button', { name: 'Fill all rows without a value' }).click()
    await button(page, 'Add 2').waitFor()
    await page.getByText('Columns of the file').click()
    await page.getByRole('combobox', { name: 'Headings are in' }).selectOption('Line 3')
    await page.getByRole('combobox', { name: 'Ann Lee' }).selectOption('Full name (first last)')
    await page.getByRole('combobox', { name: 'ann@example.com' }).selectOption('E-mail address')
    await button(page, 'Add 1').click()
    await button(page, 'Undo this import').waitFor()
    const { body } = await api('GET /members')
    assert.partialDeepStrictEqual(body, [{ firstName: 'Bob', lastName: 'Ray', dateOfBirth: '1990-04-01' }])
  })

  test('a running import shows its progress on other pages, even after a reload, until it ends', async (t) => {
    const { page } = await openConsole(t, 'import')
    // The answers say that the import is running until the test releases the real ones.
    let state = 'applying'
    await page.route(/\/imports\/[\w-]+$/, async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const answer = await route.fetch({ headers })
      const one = await answer.json()
      const counts = { ...one.counts, new: 20_000, applied: 1_200 }
      await route.fulfill({ response: answer, json: one.state === 'done' ? { ...one, state, counts } : one })
    })
    await page.getByRole('radio', { name: 'Todos' }).check()
    await chooseFile(page, 'todoTitle\none\n', 'staff.csv')
    await button(page, 'Add 1').click()
    await page.getByText('1,200 of 20,000').waitFor()
    await link(page, 'Overview').click()
    const line = link(page, 'Importing staff.csv: 1,200 of 20,000')
    await line.waitFor()
    await page.reload()
    await line.waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await line.click()
    await button(page, 'Stop').waitFor()
    assert.equal(await line.count(), 0)
    await link(page, 'Overview').click()
    await line.waitFor()
    state = 'done'
    await page.getByText('staff.csv: Done').waitFor()
    await line.waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(() => sessionStorage.getItem('rollcall-import')), null)
  })

  test('records of a declared resource are imported, in Japanese too', async (t) => {
    const { api, page, members } = await openLoans(t, 'import')
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByRole('radio', { name: '貸出' }).check()
    await chooseFile(page, `memberId,title,due,kind\n${members[0]},Momo,2026-12-24,book\n`, 'loans.csv')
    await button(page, '1 件を追加').click()
    await button(page, 'この取り込みを取り消す').waitFor()
    await page.getByText(' サインインしていない人、').waitFor()
    assert.equal(((await api('GET /loans')).body as object[]).length, 1)
  })
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name })
