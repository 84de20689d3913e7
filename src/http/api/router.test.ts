import assert from 'node:assert/strict'
import { test } from 'node:test'
import { router } from './router.ts'
import { type Route, routes } from './routes.ts'

const parts = { operation: 'x', summary: 'x', shows: { full: {} } }
const handle = async () => ({ version: 1 })

const table = (): readonly Route[] => {
  const http = routes()
  http.get('/todos', parts, handle)
  http.get('/todos/:todoId', parts, handle)
  http.put('/todos/:todoId', parts, handle)
  return http.table
}

const find = router(table())

test('a path finds its place, with its parameters', () => {
  assert.deepEqual(find('/todos/1')?.params, { todoId: '1' })
  assert.equal(find('/todos')?.place.path, '/todos')
})

test('Allow lists the methods in the table, HEAD wherever GET is, and always OPTIONS', () => {
  assert.equal(find('/todos/1')?.place.allow, 'GET, HEAD, PUT, OPTIONS')
})

test('a suffix is split from the path', () => {
  assert.equal(find('/todos/1.xml')?.suffix, 'xml')
  assert.equal(find('/todos.tar.gz')?.suffix, 'tar.gz')
})

test('no other spelling of a path is found', () => {
  const others = [
    '',
    '/',
    '//todos',
    '/todos/',
    '/todos//1',
    '/Todos',
    '/%74odos',
    '/todos;x',
    '/./todos',
    '/todos/1/2',
  ]
  for (const path of others) assert.equal(find(path), undefined, path)
})
