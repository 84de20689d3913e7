import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestHistogram } from './requests.ts'

const linesOf = (text: string) => text.split('\n').filter((line) => line.includes('_count{'))

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

test('beyond 2,000 series, requests are counted as one', () => {
  const { observe, text } = requestHistogram()
  for (let number = 0; number < 3_000; number++)
    observe({ method: 'GET', place: `/${number}`, status: 200, ms: 1 })
  const lines = linesOf(text())
  assert.equal(lines.length, 2_000)
  assert.equal(
    lines[0],
    'rollcall_request_duration_seconds_count{method="other",route="other",status="0"} 1001',
  )
})
