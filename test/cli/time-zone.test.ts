import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { currentDate } from '#core/formats.ts'
import { numberedMember } from '../people.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The two zones are never on the same day: yesterday in the first is not yet past in the second. */
const [early, late] = ['Pacific/Kiritimati', 'Etc/GMT+12']

test('an import and member add decide in the configured time zone whether a date is past', async () => {
  const { folder, url, run, write } = openFolder()
  const dateOfBirth = currentDate(Date.now() - dayMs, early)
  await write(
    'people.ndjson',
    JSON.stringify({ ...numberedMember(1), dateOfBirth, credential: { password: 'demodemo' } }),
  )
  const names = '--first-name a --last-name b --gender-code 1 --email-address a@example.com'.split(' ')
  for (const [TIME_ZONE, code] of [
    [late, 1],
    [early, 0],
  ] as const) {
    await write('settings', `TIME_ZONE=${TIME_ZONE}`)
    const args = ['import', 'members', 'people.ndjson', '--settings-file', 'settings']
    for (const manner of [[], ['--exact']]) {
      const ended = await run([...args, ...manner], url(`${code}${manner}.db`))
      assert.equal(ended.code, code, ended.err)
      if (code === 1) assert.match(ended.err, /dateOfBirth.* a past date/)
    }
    const environment = { TIME_ZONE, DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
    const add = ['member', 'add', ...names, '--date-of-birth', dateOfBirth]
    assert.equal((await rollcall(add, { environment, input: 'demodemo\n' })).code, code)
  }
})
