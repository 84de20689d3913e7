import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { closeBrowser, skip } from './browser.ts'
import { openConsole, titles } from './console.ts'

after(closeBrowser)

const csv = [
  'firstName,lastName,genderCode,dateOfBirth,emailAddress,credential.signId,credential.password',
  'Aiko,Tanaka,2,1990-04-01,aiko@example.com,aiko,demodemo',
].join('\r\n')

suite('dropping and pasting in the console', { skip }, () => {
  test('pasted cells become records of the chosen resource', async (t) => {
    const { api, page } = await openConsole(t, 'import')
    await page.getByRole('radio', { name: 'Todos' }).check()
    await page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'todoTitle\tfinished\none\tfalse\ntwo\ttrue\n')
      dispatchEvent(new ClipboardEvent('paste', { clipboardData }))
    })
    await button(page, 'Add 2').click()
    await page.getByRole('link', { name: 'See: Todos' }).click()
    await page.getByText('two').waitFor()
    assert.deepEqual((await titles(api)).toSorted(), ['○ one', '✓ two'].toSorted())
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
    await page.getByText('Import one file at a time.').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Members' }).click()
    assert.deepEqual(await drop({ 'people.csv': csv }), prevented)
    await button(page, 'Add 1').waitFor()
  })
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const filesOf = (page: Page, files: Readonly<Record<string, string>>) =>
  page.evaluateHandle((files) => {
    const transfer = new DataTransfer()
    for (const [name, text] of Object.entries(files)) transfer.items.add(new File([text], name))
    return transfer
  }, files)
