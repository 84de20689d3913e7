import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from './log.ts'

test('a log line for people shows the route (or the path if there is no route) and a refused host', () => {
  const lines: string[] = []
  const sink = { write: (line: string) => void lines.push(line) }
  const { logger } = openLog({ level: 'info', format: 'pretty', sink })
  logger.info({ method: 'GET', route: '/todos/:todoId', status: 200, ms: 1, track: 't1' })
  logger.info({ method: 'GET', path: '/nowhere', host: 'a.example.org', status: 403, ms: 1, track: 't2' })
  assert.deepEqual(
    lines.map((line) => line.replace(/^\S+ /, '')),
    ['GET 200 /todos/:todoId 1 ms t1\n', 'GET 403 /nowhere 1 ms a.example.org t2\n'],
  )
})
