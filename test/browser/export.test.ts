import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { after, suite, test } from 'node:test'
import type { Download } from 'playwright-core'
import { rowsOfFile } from '#resources/import/files/rows.ts'
import { startApp } from '#test/harness.ts'
import { importsOf } from '#test/import/imports.ts'
import { john } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip, textOf } from './browser.ts'
import { saveList, widthOf } from './console.ts'
import { openLoans } from './loan.ts'
import { create } from './members.ts'

after(closeBrowser)

async function* once(file: Buffer) {
  yield file
}

const cellsIn = async (download: Download) => {
  const rows = await Array.fromAsync(rowsOfFile(once(await buffer(await download.createReadStream()))))
  return rows.map(({ cells }) => cells)
}

suite('files that the console saves', { skip }, () => {
  test('The export for reading has the columns, filters and order of the list, and the language of the page.', async (t) => {
    const { page } = await openLoans(t, 'loans?sort=title,asc&columns=memberId,kind,fragile,due', {
      titles: ['=1+1', 'Ladder', '007'],
      locale: 'ja-JP',
      timezoneId: 'Asia/Tokyo',
    })
    await page.getByRole('link', { name: 'Ladder' }).waitFor()
    const [heads, ...rows] = await cellsIn(await saveList(page, '閲覧用（.xlsx）', '書き出す'))
    assert.deepEqual(heads, ['品名', '借りた人', '返却期限', '種類', '壊れ物'])
    assert.deepEqual(rows[0], ['007', 'Rossi Chiara', '2026-12-12', 'book', 'いいえ'])
    const lines = (await textOf(await saveList(page, '閲覧用（CSV）', '書き出す'))).split('\r\n')
    assert.match(lines[2] ?? '', /^'=1\+1,Tanaka Aiko,2026\/12\/\d\d,/)
    await page.getByText('3 件を保存しました').last().waitFor()
  })

  test('An import of the exact file changes nothing.', async (t) => {
    const api = await startApp(t)
    const odd = { firstName: ' Ann ', telephoneNumber: '', zipCode: null, address: `'=1+1, "x"\ny` }
    await create(api, { ...john, ...odd })
    await create(api, { ...john, emailAddress: 'two@example.com', address: '=2' })
    const page = await openPage(t, `${api.management}/#/members`)
    await page.getByRole('link', { name: 'Ann' }).waitFor()
    const download = await saveList(page)
    assert.match(download.suggestedFilename(), /^rollcall-members-\d{4}-\d\d-\d\d-exact\.csv$/)
    const file = await textOf(download)
    const imports = importsOf(api)
    const { counts, open } = await imports.in(await imports.upload('members', file), 'ready')
    assert.deepEqual([counts.rows, counts.unchanged, open], [2, 2, []])
  })

  test('The format of a file can be chosen by keyboard, and on a phone.', async (t) => {
    const api = await startApp(t)
    await create(api, john)
    const viewport = { width: 360, height: 640 }
    const page = await openPage(t, `${api.management}/#/members`, { viewport })
    await page.getByRole('button', { name: 'Export', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Export Members: 1' })
    await dialog.getByText('Name, E-mail, Born, Telephone, Since').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    assert.ok((await widthOf(page)) <= viewport.width)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    const downloaded = page.waitForEvent('download')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    assert.match((await downloaded).suggestedFilename(), /^rollcall-members-\d{4}-\d\d-\d\d\.csv$/)
    await page.getByText('1 row saved').waitFor()
  })
})
