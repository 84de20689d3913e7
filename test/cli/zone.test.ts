import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { today } from '#core/formats.ts'
import { rollcall } from '../operations/child.ts'
import { numbered } from '../people.ts'
import { openFolder } from './folder.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The two zones are never on the same day: yesterday in the first is not yet past in the second. */
const [early, late] = ['Pacific/Kiritimati', 'Etc/GMT+12']

test('an import decides in the configured time zone whether a date is past', async () => {
  const { url, run, write, read } = openFolder()
  const dateOfBirth = today(Date.now() - dayMs, early)
  await write('people.ndjson', JSON.stringify({ ...numbered(1), dateOfBirth }))
  const imported = async (zone: string, database: string) => {
    await write('settings', `TIME_ZONE=${zone}`)
    return run(['import', 'members', 'people.ndjson', '--settings-file', 'settings'], url(database))
  }
  assert.equal((await imported(early, 'early.db')).code, 0)
  assert.equal((await imported(late, 'late.db')).code, 1)
  assert.match(await read('people.ndjson.refused.ndjson'), /"code":"Past"/)
})

test('member add decides in the configured time zone whether a date is past', async () => {
  const { folder } = openFolder()
  const dateOfBirth = today(Date.now() - dayMs, early)
  const names = [
    '--first-name',
    'a',
    '--last-name',
    'b',
    '--gender-code',
    '1',
    '--email-address',
    'a@example.com',
  ]
  const added = (TIME_ZONE: string) =>
    rollcall(['member', 'add', ...names, '--date-of-birth', dateOfBirth], {
      environment: { TIME_ZONE, DATABASE_URL: `sqlite:${join(folder, 'a.db')}` },
      input: 'demodemo\n',
    })
  assert.equal((await added(late)).code, 1)
  assert.equal((await added(early)).code, 0)
})
