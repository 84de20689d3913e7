import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { closed, isolated } from '#console/app/words/visible.ts'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { closeBrowser, openPage, skip } from './browser.ts'

after(closeBrowser)

test('what a text begins it ends, and it ends nothing outside', () => {
  const texts = [
    ['plain', 'plain'],
    ['a\u202eb', 'a\u202eb\u202c'],
    ['a\u202eb\u2066c', 'a\u202eb\u2066c\u2069\u202c'],
    ['a\u2069b\u202cc', 'abc'],
    ['\u2066a\u202eb\u2069c\u202c', '\u2066a\u202eb\u2069c'],
    ['\u202ba\u2067b\u202cc', '\u202ba\u2067bc\u2069\u202c'],
  ] as const
  for (const [text, expected] of texts) assert.equal(closed(text), expected)
})

test('only a text that could reorder others is isolated', () => {
  for (const text of ['John Smith', '佐藤 花子', 'Šime', '👩‍🌾', '']) assert.equal(isolated(text), text)
  for (const text of ['محمد', 'דוד', 'a\u202eb', '\u2069', '𞤀'])
    assert.match(isolated(text), /^\u2068.*\u2069$/u)
})

const codeOf = (char: string) => `\\u${char.codePointAt(0)?.toString(16)}`

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

suite('names that set a direction', { skip }, () => {
  const overrides = ['Eve\u2069\u202e', 'Eve\u2066\u202e\u2066'] as const
  for (const firstName of overrides) {
    test(`${JSON.stringify(firstName).replace(/[^ -~]/g, codeOf)} reorders neither the last name nor the words around`, async (t) => {
      const api = await startApp(t)
      const { body } = await api('POST /members', { ...john, firstName, lastName: 'North West' })
      const page = await openPage(t, `${api.management}/#/members`)
      const inOrder = async (element: Locator, ...words: string[]) => {
        const lefts = await Promise.all(words.map((word) => leftOf(element, word)))
        assert.deepEqual(
          lefts,
          lefts.toSorted((one, other) => one - other),
          words.join(),
        )
      }
      await inOrder(page.getByRole('rowheader'), 'Eve', 'North', 'West')
      await page.goto(`${api.management}/#/members/${(body as { memberId: string }).memberId}`)
      await page.getByRole('button', { name: 'Change password' }).click()
      const title = page.getByRole('dialog').getByRole('heading')
      await inOrder(title, 'Change the password of', 'Eve', 'North', 'West')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Delete' }).click()
      const note = page.getByRole('log').locator('p')
      await note.waitFor()
      await inOrder(note, 'Eve', 'North', 'is off', 'the roll')
    })
  }

  test('a right-to-left name is whole within a sentence, its first name on the right', async (t) => {
    const api = await startApp(t)
    const { body } = await api('POST /members', { ...john, firstName: 'دينا', lastName: 'رشيد' })
    const page = await openPage(t, `${api.management}/#/members/${(body as { memberId: string }).memberId}`)
    await page.getByRole('button', { name: 'Change password' }).click()
    const title = page.getByRole('dialog').getByRole('heading')
    const [verb, last, first] = await Promise.all(
      ['Change', 'رشيد', 'دينا'].map((word) => leftOf(title, word)),
    )
    assert.ok((verb ?? 0) < (last ?? 0) && (last ?? 0) < (first ?? 0), `${verb} ${last} ${first}`)
  })

  test('the title of a todo reorders nothing in what is said about it', async (t) => {
    const api = await startApp(t)
    await api('POST /todos', { todoTitle: 'pay\u202e' })
    const page = await openPage(t, `${api.management}/#/todos`)
    await page.getByRole('button', { name: /^Delete/ }).click()
    const note = page.getByRole('log').locator('p')
    assert.equal(await note.textContent(), 'Deleted “\u2068pay\u202e\u202c\u2069”')
    assert.ok((await leftOf(note, 'pay')) < (await leftOf(note, '”')))
  })
})
