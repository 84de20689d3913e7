import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlitePathOf } from './open.ts'

test('a database on SQLite lies in the file that its URL names; one in memory and PostgreSQL lie in none', () => {
  assert.equal(sqlitePathOf('sqlite:./data/rollcall.db'), './data/rollcall.db')
  assert.equal(sqlitePathOf('sqlite::memory:.db'), ':memory:.db')
  assert.equal(sqlitePathOf('sqlite::memory:'), undefined)
  assert.equal(sqlitePathOf('postgres://db/sqlite:x'), undefined)
})
