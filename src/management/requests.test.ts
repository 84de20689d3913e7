import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestHistogram } from './requests.ts'

const linesOf = (text: string) => text.split('\n').filter((line) => line.includes('_count{'))

test('unknown methods share one series, and no line is repeated', () => {
  const { observe, text } = requestHistogram()
  for (const method of ['PROPFIND', 'MKCOL', 'GET']) observe({ method, place: '/todos', status: 405, ms: 1 })
  assert.deepEqual(linesOf(text()), [
    'rollcall_request_duration_seconds_count{method="other",route="/todos",status="405"} 2',
    'rollcall_request_duration_seconds_count{method="GET",route="/todos",status="405"} 1',
  ])
})

test('a flood of methods, paths and statuses does not hide a 500', () => {
  const { observe, text } = requestHistogram()
  const places = Array.from({ length: 25 }, (_, number) => `/${number}`)
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'SEARCH']
  for (const place of places)
    for (const method of methods)
      for (const status of [400, 401, 404, 405, 406, 413, 415, 429]) observe({ method, place, status, ms: 1 })
  observe({ method: 'GET', place: '/todos', status: 500, ms: 1 })
  assert.ok(linesOf(text()).some((line) => line.includes('status="500"')))
})
