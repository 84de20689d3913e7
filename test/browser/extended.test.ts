import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { CodeList, Day, extend, Flag, Nullable, Reference, Starting, Text } from '#src/resource.ts'
import { request, startApp } from '#test/harness.ts'
import { john, people } from '#test/people.ts'
import { violationsInBothLights } from './axe.ts'
import { closeBrowser, openPage, skip } from './browser.ts'
import { mergePatch } from './console.ts'
import { shownNames } from './members.ts'

after(closeBrowser)

const member = extend('member', {
  fields: {
    department: Nullable(Text(0, 40)),
    grade: Nullable(CodeList('CL_GRADE', ['j', 's'])),
    joinedOn: Nullable(Day),
    isGuide: Starting(false, Flag),
    mentorId: Nullable(Reference('member')),
  },
  words: {
    en: { department: ['Department', 'Where they work.'], 'grade.j': 'Junior', 'grade.s': 'Senior' },
    ja: { department: '部署', grade: '等級', 'grade.j': '初級', 'grade.s': '上級' },
  },
})

/** Opens the console of a service whose members have further fields. */
const openExtended = async (t: Parameters<typeof openPage>[0], place: (ids: string[]) => string) => {
  const { url, management } = await startApp(t, {}, { resources: [member] })
  const api = (line: string, body?: unknown, headers = {}) =>
    request(url, line.replace(' ', ' /api/v1'), { body, headers })
  const ids: string[] = []
  for (const [index, person] of people.slice(0, 3).entries()) {
    const further = { department: `Team ${index}`, grade: index === 0 ? 's' : 'j' }
    const { body } = await api('POST /members', { ...person, ...further })
    ids.push((body as { memberId: string }).memberId)
  }
  const page = await openPage(t, `${management}/#/${place(ids)}`)
  const read = async (id = '') => (await api(`GET /members/${id}`)).body as Record<string, unknown>
  return { api, page, ids, read }
}

suite('the console of extended members', { skip }, () => {
  test('The table of members has the added fields as columns, sorts and filters by them, and changes them for many members.', async (t) => {
    const { page, ids, read } = await openExtended(t, () => 'members')
    await page.getByText('View', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Department' }).check()
    await page.getByRole('columnheader', { name: 'Department' }).getByRole('button').click()
    await page.waitForFunction(
      () => document.querySelector('tbody .col-department')?.textContent === 'Team 0',
    )
    await page.getByText('View', { exact: true }).click()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByRole('combobox', { name: 'Mentor', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Grade' }).selectOption('Senior')
    await page.getByText('1–1 of 1').waitFor()
    assert.equal((await shownNames(page)).length, 1)
    await page.locator('tbody input[type=checkbox]').check()
    await page.getByRole('button', { name: 'Change a field' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('Department')
    await dialog.getByRole('textbox', { name: 'Department' }).fill('Archive')
    await dialog.getByRole('button', { name: 'Change 1' }).click()
    await page.locator('tbody .col-department').getByText('Archive').waitFor()
    assert.equal((await read(ids[0])).department, 'Archive')
  })

  test('The added fields of a member can be changed, and an edit of another field keeps them.', async (t) => {
    const { page, ids, read } = await openExtended(t, (ids) => `members/${ids[0]}`)
    await page.getByRole('heading', { name: 'Further details' }).waitFor()
    await page.getByText('Senior').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Zip code').fill('100')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is saved').waitFor()
    assert.deepEqual([(await read(ids[0])).department, (await read(ids[0])).grade], ['Team 0', 's'])

    await page.getByRole('link', { name: 'Edit' }).click()
    const mentor = page.getByRole('combobox', { name: 'Mentor' })
    await mentor.fill('chiara')
    await page.getByRole('option', { name: /^Chiara Rossi/ }).click()
    await page.getByLabel('Joined on').fill('2026-04-01')
    await page.getByRole('checkbox', { name: 'Is guide' }).check()
    await page.getByRole('textbox', { name: 'Department' }).fill('x'.repeat(41))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('textbox', { name: 'Department' }).and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByRole('textbox', { name: 'Department' }).fill('Maps')
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Chiara Rossi' }).waitFor()
    const { department, grade, joinedOn, isGuide, mentorId } = await read(ids[0])
    assert.deepEqual(
      [department, grade, joinedOn, isGuide, mentorId],
      ['Maps', 's', '2026-04-01', true, ids[2]],
    )
  })

  test('The history of a member shows its added fields by their labels, and puts them back.', async (t) => {
    const { api, page, ids, read } = await openExtended(t, (ids) => `members/${ids[1]}/history`)
    await api(`PATCH /members/${ids[1]}`, { grade: 's', department: 'Maps' }, mergePatch)
    await page.getByRole('button', { name: 'Put this version back' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Department: Maps → Team 1').waitFor()
    await dialog.getByText('Grade: Senior → Junior').waitFor()
    await dialog.getByRole('button', { name: 'Put this version back' }).click()
    await page.getByText('The old version is put back').waitFor()
    assert.deepEqual([(await read(ids[1])).department, (await read(ids[1])).grade], ['Team 1', 'j'])
    await page.getByRole('radio', { name: '日本語' }).check()
    await page.getByText('部署').first().waitFor()
  })

  test('The list of todos shows their added fields, and the page of a todo changes them without finishing it.', async (t) => {
    const todo = extend('todo', {
      fields: { area: Nullable(Text(0, 40)), ownerId: Nullable(Reference('member')) },
    })
    const { url, management } = await startApp(t, {}, { resources: [todo] })
    const api = (line: string, body?: unknown) => request(url, line.replace(' ', ' /api/v1'), { body })
    const { memberId: ownerId } = (await api('POST /members', john)).body as { memberId: string }
    await api('POST /todos', { todoTitle: 'Sand the door', area: 'Workshop', ownerId })
    const page = await openPage(t, `${management}/#/todos`)
    await page.getByText('Area: Workshop').waitFor()
    await page.getByRole('listitem').getByRole('link', { name: 'John Smith' }).waitFor()
    assert.deepEqual(await violationsInBothLights(page), [])
    await page.getByRole('link', { name: 'Further details' }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('checkbox', { name: 'Finished' }).waitFor()
    await page.getByRole('textbox', { name: 'Area' }).fill('Yard')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('is saved').waitFor()
    assert.partialDeepStrictEqual((await api('GET /todos')).body, [
      { area: 'Yard', ownerId, finished: false },
    ])
  })
})
