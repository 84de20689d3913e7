import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { john } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, skip } from './browser.ts'
import { openAt, openMany } from './members.ts'

after(closeBrowser)

suite('daily work in the console', { skip }, () => {
  test('the text of a list can be selected, addresses are links, and a click elsewhere in the row opens the record', async (t) => {
    const { page, memberId } = await openAt(t, () => 'members')
    const email = page.getByRole('link', { name: john.emailAddress })
    assert.equal(await email.getAttribute('href'), `mailto:${john.emailAddress}`)
    const born = page.locator('.col-dateOfBirth').last()
    const { x, y, height } = (await born.boundingBox()) ?? { x: 0, y: 0, height: 0 }
    await page.mouse.move(x + 20, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + 80, y + height / 2, { steps: 4 })
    await page.mouse.up()
    assert.notEqual(await page.evaluate(() => String(getSelection())), '')
    assert.match(page.url(), /#\/members$/)
    await page.evaluate(() => getSelection()?.removeAllRanges())
    await born.click()
    await page.waitForURL(`**/#/members?open=${memberId}`)
    await page.getByRole('complementary').getByRole('link', { name: john.emailAddress }).waitFor()
  })

  test('keys lead through a list, to the next record and into its form, which Ctrl-S saves', async (t) => {
    const { page } = await openMany(t, 3)
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
    await page.getByRole('link', { name: '2 Smith' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await heading('2 Smith').waitFor()
    await page.getByRole('link', { name: 'Next member' }).click()
    await heading('1 Smith').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Next member' }).count(), 0)
    await page.keyboard.press('k')
    await heading('2 Smith').waitFor()
    await page.keyboard.press('e')
    await page.getByLabel('First name').fill('Bert')
    await page.keyboard.press('Control+s')
    await page.getByText('Bert Smith is saved').waitFor()
  })

  test('Ctrl-K finds pages, actions, members and todos, and the keyboard alone chooses among them', async (t) => {
    const { api, page, memberId } = await openAt(t, () => 'overview')
    await api('POST /todos', { todoTitle: 'water the plants' })
    const dialog = page.getByRole('dialog', { name: 'Find a page, a record or an action' })
    const chosen = dialog.getByRole('option', { selected: true })
    const search = async (text: string, found: string) => {
      await page.keyboard.press('Control+k')
      await dialog.getByRole('combobox').fill(text)
      await chosen.getByText(found).waitFor()
    }
    await page.getByRole('link', { name: 'John Smith' }).first().waitFor()
    await search('smith', `John Smith · ${john.emailAddress}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/#/members/${memberId}`)
    await search('o', 'Overview')
    await dialog.getByRole('option', { name: 'John Smith' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await chosen.getByText('Todos').waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    for (const key of ['ArrowUp', 'ArrowUp']) await page.keyboard.press(key)
    await chosen.getByText('John Smith').waitFor()
    await dialog.getByRole('combobox').fill('no such thing')
    await dialog.getByText('Nothing found.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await search('plants', 'water the plants')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/#/todos?title=water+the+plants')
    await search('new todo', 'New todo')
    await page.keyboard.press('Enter')
    await page.getByLabel('What needs to be done?').and(page.locator(':focus')).waitFor()
    await search('日本', '日本語')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'やること', level: 1 }).waitFor()
  })
})
