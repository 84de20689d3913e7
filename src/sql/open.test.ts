import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlitePathOf } from './open.ts'

test('sqlitePathOf returns the file of a SQLite URL, and none for :memory: or PostgreSQL', () => {
  assert.equal(sqlitePathOf('sqlite:./data/rollcall.db'), './data/rollcall.db')
  assert.equal(sqlitePathOf('sqlite::memory:.db'), ':memory:.db')
  assert.equal(sqlitePathOf('sqlite::memory:'), undefined)
  assert.equal(sqlitePathOf('postgres://db/sqlite:x'), undefined)
})
