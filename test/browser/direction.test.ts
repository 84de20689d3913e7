import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { closeControls, isolate } from '#console/app/words/visible.ts'
import { startApp } from '#test/harness.ts'
import { person } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { openConsole } from './console.ts'
import { create } from './members.ts'

after(closeBrowser)

test('an isolated text closes its own direction controls and no others', () => {
  const texts = [
    ['plain', 'plain'],
    ['a\u202eb', 'a\u202eb\u202c'],
    ['a\u202eb\u2066c', 'a\u202eb\u2066c\u2069\u202c'],
    ['a\u2069b\u202cc', 'abc'],
    ['\u2066a\u202eb\u2069c\u202c', '\u2066a\u202eb\u2069c'],
    ['\u202ba\u2067b\u202cc', '\u202ba\u2067bc\u2069\u202c'],
  ] as const
  for (const [text, expected] of texts) assert.equal(closeControls(text), expected)
})

test('only a text that could reorder its surroundings is isolated', () => {
  for (const text of ['John Smith', '佐藤 花子', 'Šime', '👩‍🌾', '']) assert.equal(isolate(text), text)
  for (const text of ['محمد', 'דוד', 'a\u202eb', '\u2069', '𞤀'])
    assert.match(isolate(text), /^\u2068.*\u2069$/u)
})

/** Where a word of the element begins, in pixels from the left. */
const leftOf = (element: Locator, word: string) =>
  element.evaluate((shown, word) => {
    const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(word) ?? -1
      if (at < 0) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      return range.getBoundingClientRect().left
    }
    throw new Error(`nothing says ${word}`)
  }, word)

suite('names with direction controls', { skip }, () => {
  test('a name with direction controls reorders neither its other part nor the text around it, and a right-to-left name is not split', async (t) => {
    const api = await startApp(t)
    const page = await openPage(t, 'about:blank')
    const inOrder = async (element: Locator, ...words: string[]) => {
      const found = await Promise.all(words.map((word) => leftOf(element, word)))
      assert.deepEqual(
        found,
        found.toSorted((one, other) => one - other),
        words.join(),
      )
    }
    const title = page.getByRole('dialog').getByRole('heading')
    for (const firstName of ['Eve\u2069\u202e', 'Eve\u2066\u202e\u2066']) {
      const { memberId } = await create(api, person({ firstName, lastName: 'North West' }))
      await page.goto(`${api.management}/#/members`)
      await inOrder(page.getByRole('rowheader').first(), 'Eve', 'North', 'West')
      await page.goto(`${api.management}/#/members/${memberId}`)
      await page.getByRole('button', { name: 'Change password' }).click()
      await inOrder(title, 'Change the password of', 'Eve', 'North', 'West')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Nobody is on the roll yet').waitFor()
      await inOrder(page.getByRole('log').locator('p').last(), 'Eve', 'North', 'is off', 'the roll')
    }
    const { memberId } = await create(api, person({ firstName: 'دينا', lastName: 'رشيد' }))
    await page.goto(`${api.management}/#/members/${memberId}`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await inOrder(title, 'Change', 'رشيد', 'دينا')
  })

  test('the title of a todo reorders nothing in the messages about it', async (t) => {
    const { page } = await openConsole(t, 'todos', { todos: ['pay\u202e'] })
    await page.getByRole('button', { name: /^Delete/ }).click()
    const note = page.getByRole('log').locator('p')
    assert.equal(await note.textContent(), 'Deleted “\u2068pay\u202e\u202c\u2069”')
    assert.ok((await leftOf(note, 'pay')) < (await leftOf(note, '”')))
  })
})
