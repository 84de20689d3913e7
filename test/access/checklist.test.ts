import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settings } from '#src/config/settings.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const checklist = read('docs/security-checklist.md')
const rows = checklist.split('\n').filter((line) => /^\| (?:API|V)\d/.test(line))

const matchesOf = (pattern: RegExp) => [
  ...new Set([...checklist.matchAll(pattern)].map(([, name = '']) => name)),
]

/** Paths may start at the root, at `test/` or at `test/access/`. */
const places = (name: string) => [name, `test/${name}`, `test/access/${name}`]

test('every test that the security checklist names exists', () => {
  const tests = matchesOf(/`([\w/*.-]+(?:\.test\.ts|\/))`/g)
  assert.ok(tests.length > 25)
  const missing = tests.filter((name) => globSync(places(name), { cwd: root }).length === 0)
  assert.deepEqual(missing, [])
})

test('every decision and command that the security checklist names exists', () => {
  const decisions = matchesOf(/\b(0\d{3})\b/g)
  assert.deepEqual(
    decisions.filter((number) => globSync(`docs/decisions/${number}-*.md`, { cwd: root }).length === 0),
    [],
  )
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
  assert.deepEqual(
    matchesOf(/`npm run ([\w:]+)/g).filter((name) => !Object.hasOwn(scripts, name)),
    [],
  )
})

test('every row of the security checklist says whether it is met, and the totals agree', () => {
  const count = (state: string) => rows.filter((row) => row.endsWith(` | ${state} |`)).length
  const [met, ifSet, notMet, other] = ['met', 'met if set', 'not met', 'does not apply'].map(count)
  assert.equal(Number(met) + Number(ifSet) + Number(notMet) + Number(other), rows.length)
  assert.ok(
    checklist.includes(
      `${met} rows are met, ${ifSet} are met if set, ${notMet} are not met, ${other} do not apply.`,
    ),
    `${met} ${ifSet} ${notMet} ${other}`,
  )
})

test('every row marked "met" names its evidence', () => {
  const bare = rows.filter(
    (row) => row.endsWith('| met |') && !/`[^`]+`|decision|there are none|none are/.test(row),
  )
  assert.deepEqual(bare, [])
})

test('every row marked "met if set" names the setting', () => {
  const ifSet = rows.filter((row) => row.endsWith('| met if set |'))
  const names = Object.keys(settings)
  assert.deepEqual(
    ifSet.filter((row) => !names.some((name) => row.includes(`\`${name}\``))),
    [],
  )
})
