import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { extend, Nullable, Reference, resource, Text, Unique } from '#src/resource.ts'
import { databases } from '../engines.ts'
import { startApp } from '../harness.ts'
import { person } from '../people.ts'
import { unknownId } from '../scenarios/table.ts'
import { csv, importsOf } from './imports.ts'

const member = extend('member', { fields: { badge: Nullable(Unique(Text(1, 20))) } })
const todo = extend('todo', { fields: { memberId: Nullable(Reference('member')) } })
const employee = resource({
  name: 'employee',
  fields: { code: Unique(Text(1, 20)), managerId: Nullable(Reference('employee')) },
  words: { en: { employee: ['Employee', 'Employees'], code: 'Staff number' } },
})
/** A resource whose texts do not identify a record. */
const note = resource({ name: 'note', fields: { line: Text(1, 20), todoId: Reference('todo') } })

const start = async (t: TestContext, url: string) => {
  const api = await startApp(t, { DATABASE_URL: url }, { resources: [member, todo, employee, note] })
  const join = async (signId: string, fields: Readonly<Record<string, unknown>>) => {
    const body = person({ credential: { signId, password: 'open sesame' }, ...fields })
    return ((await api('POST /members', body)).body as { memberId: string }).memberId
  }
  const page = async (path: string) =>
    ((await api(`GET ${path}`)).body as { content: readonly Readonly<Record<string, string>>[] }).content
  const imports = importsOf(api)
  const ready = async (plural: string, headings: readonly string[], rows: readonly (readonly string[])[]) => {
    const importId = await imports.upload(plural, csv(headings, rows))
    return imports.in(importId, 'ready')
  }
  return { api, join, page, imports, ready }
}

for (const { name: engine, url, skip } of databases)
  describe(`${engine}: a reference in a file`, { skip }, () => {
    test('is the id, the sign id, the e-mail address or a unique value of the member', async (t) => {
      const { join, page, imports, ready } = await start(t, await url(t))
      const anna = await join('anna', { emailAddress: 'anna@example.com', badge: 'B-7' })
      const given = [anna, 'anna', 'ＡＮＮＡ', 'Anna@Example.com', 'mailto:anna@example.com', 'b-7', '']
      const rows = given.map((value, at) => [`Todo ${at}`, value])
      for (const heading of ['member', 'memberId', '会員']) {
        const { importId, counts, columns } = await ready('todos', ['title', heading], rows)
        assert.deepEqual([columns[1]?.field, counts.new], ['memberId', given.length], heading)
        await imports.act(importId, 'apply')
        await imports.in(importId, 'done')
      }
      assert.equal((await page(`/todos?memberId=${anna}&size=100`)).length, 3 * 6)
    })

    test('is refused, and the message names the value, if nobody or several people have it, in both languages', async (t) => {
      const { join, imports, ready } = await start(t, await url(t))
      const [, other] = [
        await join('one', { emailAddress: 'shared@example.com', badge: 'anna' }),
        await join('anna', { emailAddress: 'shared@example.com' }),
      ]
      const given = ['nobody', 'shared@example.com', 'anna', unknownId]
      const rows = given.map((value) => ['Todo', value])
      const { importId } = await ready('todos', ['title', 'member'], rows)
      const messages = async () =>
        (await imports.rows(importId)).map(({ faults: [fault] }) => [
          fault?.code,
          fault?.value,
          fault?.message,
        ])
      assert.deepEqual(await messages(), [
        ['Reference', 'nobody', 'No member has the sign id, badge, or e-mail address "nobody".'],
        [
          'Reference',
          'shared@example.com',
          'Several members have the sign id, badge, or e-mail address "shared@example.com": give the id of one.',
        ],
        [
          'Reference',
          'anna',
          'Several members have the sign id, badge, or e-mail address "anna": give the id of one.',
        ],
        ['Reference', unknownId, `No member has the member id "${unknownId}".`],
      ])
      await imports.change(importId, { options: { locale: 'ja' } })
      await imports.in(importId, 'ready')
      assert.deepEqual(
        (await messages()).slice(0, 2).map(([, , message]) => message),
        [
          'サイン ID、badge、またはメールアドレスが「nobody」の会員は見つかりません。',
          'サイン ID、badge、またはメールアドレスが「shared@example.com」の会員が複数見つかりました。IDを指定してください。',
        ],
      )
      const corrected = await imports.correct(importId, 2, [{ field: 'memberId', value: 'one' }])
      assert.deepEqual([corrected.outcome, corrected.faults], ['new', []])
      const told = await ready('todos', ['title', 'member login'], [['Todo', 'anna']])
      const [row] = await imports.rows(told.importId)
      assert.equal(row?.record.find(({ field }) => field === 'memberId')?.value, other)
    })

    test('may be the name of the record to which the present record refers, as in an export for people', async (t) => {
      const { api, join, ready } = await start(t, await url(t))
      const memberId = await join('anna', { firstName: 'Anna', lastName: 'Berg' })
      await join('carl', { firstName: 'Carl', lastName: 'Berg' })
      const named = ['Anna Berg', 'Berg Anna', 'Carl Berg']
      const rows: (readonly string[])[] = []
      for (const name of named) {
        const { body } = await api('POST /todos', { todoTitle: 'Paint', memberId })
        rows.push([(body as { todoId: string }).todoId, 'Paint', name])
      }
      const { counts } = await ready('todos', ['Todo id', 'Title', 'Member'], rows)
      assert.deepEqual([counts.unchanged, counts.refused], [2, 1])
    })

    test('may be a value that an earlier row of the file has', async (t) => {
      const { api, page, imports, ready } = await start(t, await url(t))
      await api('POST /employees', { code: 'Z' })
      const many = Array.from({ length: 30 }, (_, at) => [`E${at}`, at === 0 ? 'z' : `e${at - 1}`])
      const rows = [...many, ['F', 'later'], ['later', ''], ['G', 'f']]
      const { importId, counts } = await ready('employees', ['Staff number', 'Manager'], rows)
      assert.deepEqual([counts.new, counts.refused], [31, 2])
      const refused = (await imports.rows(importId, 'refused')).map(({ faults }) => faults[0]?.message)
      const sentence = (value: string) => `No employee has the staff number "${value}".`
      assert.deepEqual(refused, [sentence('later'), sentence('f')])
      await imports.act(importId, 'apply')
      await imports.in(importId, 'done')
      const stored = await page('/employees?size=100')
      const codes = new Map(stored.map(({ employeeId, code }) => [employeeId, code]))
      const managers = new Map(stored.map(({ code, managerId }) => [code, codes.get(managerId)]))
      assert.deepEqual(
        [managers.size, managers.get('E0'), managers.get('E1'), managers.get('E29')],
        [32, 'Z', 'E0', 'E28'],
      )
      const again = await ready('employees', ['Staff number', 'Manager'], rows)
      assert.deepEqual([again.counts.unchanged, again.counts.new], [31, 2])
    })

    test('must be the id if the resource has no other identifying field', async (t) => {
      const { imports, ready } = await start(t, await url(t))
      const { importId } = await ready('notes', ['line', 'todoId'], [['A', 'Buy milk']])
      const [row] = await imports.rows(importId)
      assert.equal(row?.faults[0]?.message, 'No todo has the id "Buy milk".')
    })
  })
