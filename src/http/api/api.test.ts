import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overloaded } from '#core/problem.ts'
import { writer } from '#http/message/representation/writer.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { type ApiOptions, api } from './api.ts'
import type { Changes } from './change.ts'
import { cursors } from './cursor.ts'
import { overload } from './overload.ts'
import { routes } from './routes.ts'

test('while whole lists are refused as overload, pages of the same list are served, by number and by cursor', async (t) => {
  const overloads = overload()
  t.after(overloads.stop)
  const http = routes()
  http.list(
    '/things',
    {
      operation: 'things:list',
      summary: 'List things',
      shows: { full: { type: 'object', properties: { name: { type: 'string' } } } },
      filter: {},
      sortable: ['name'],
      idProperty: 'name',
    },
    {
      page: async (_, request) => ({ content: [], totalElements: 0, request }),
      slice: async () => ({ content: [], next: undefined }),
      stream() {
        throw overloaded()
      },
    },
  )
  const principal = { kind: 'anyone', name: 'anyone' } as const
  const { respond } = api({
    prefix: '',
    routes: http.table,
    guard: {
      recognize: () => principal,
      recognizeAgain: () => principal,
      resolveAlias: () => undefined,
      admit: () => ({ principal, isOwn: false, view: 'full' }),
    },
    origin: { address: () => '127.0.0.1', urlFor: () => 'http://127.0.0.1', isFixed: true },
    overload: overloads,
    rateLimit: undefined,
    writer: writer('UTC'),
    commitToken: async () => 'state',
    changes: {
      latest: async () => ({ logName: '', number: 0, idSuffix: '' }),
    } as Partial<Changes> as Changes,
    cursors: cursors(Buffer.alloc(32)),
    pageSizeMax: 100,
  } as Partial<ApiOptions> as ApiOptions)
  const list = (query: string) => respond(exchangeFor('/things', query))
  const refused = { kind: 'overloaded' }
  await assert.rejects(list(''), refused)
  for (const query of ['page=0', 'size=1', 'sort=name', 'cursor='])
    assert.equal((await list(query)).status, 200, query)
  await assert.rejects(list('nobody=knows'), refused)
})

const exchangeFor = (path: string, query: string) =>
  ({
    method: 'GET',
    target: { path, query, authority: undefined },
    incoming: { headers: {}, complete: true },
    head: { headers: {} },
    startedAtMs: performance.now(),
  }) as Exchange
