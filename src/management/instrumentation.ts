import type { Page, PageRequest, Slice, SliceRequest } from '#core/page.ts'
import type { ListRoute, Route } from '#http/api/routes.ts'
import type { Transaction } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import type { Query } from '#sql/query.ts'
import type { Tracer, Work } from './tracer.ts'

/** The routes, with a span for each call of a route's handler. */
export const tracedRoutes = (table: readonly Route[], tracer: Tracer): readonly Route[] =>
  table.map((route) => ({
    ...route,
    handle: (call) => tracer.span(handlerWork(route.operation), () => route.handle(call)),
    ...(route.list && { list: tracedList(route.operation, route.list, tracer) }),
  }))

const handlerWork = (operation: string): Work => ({ name: operation, kind: 'internal' })

const tracedList = (operation: string, list: ListRoute, tracer: Tracer): ListRoute => {
  const { source } = list
  const page = (filter: never, request: PageRequest): Promise<Page<object>> =>
    tracer.span(handlerWork(operation), () => source.page(filter, request))
  const slice = (filter: never, request: SliceRequest): Promise<Slice<object>> =>
    tracer.span(handlerWork(operation), () => source.slice(filter, request))
  const stream = (filter: never) => tracer.spanOfStream(handlerWork(operation), () => source.stream(filter))
  return { ...list, source: { page, slice, stream } as ListRoute['source'] }
}

/** The database, with a span for each statement. The span contains the text of the statement, but never its values. */
export const tracedDatabase = (db: Engine, tracer: Tracer): Engine => {
  const system = db.engine === 'sqlite' ? 'sqlite' : 'postgresql'
  const statement = ({ text }: Query): Work => ({
    name: text.trim().split(/\s+/, 1)[0] ?? 'sql',
    kind: 'client',
    attributes: { 'db.system.name': system, 'db.query.text': text.trim().replace(/\s+/g, ' ') },
  })
  const transaction: Work = {
    name: 'transaction',
    kind: 'client',
    attributes: { 'db.system.name': system },
  }
  const tracedTransaction = (tx: Transaction): Transaction => ({
    engine: tx.engine,
    read: (query, make) => tracer.span(statement(query), () => tx.read(query, make)),
    run: (query) => tracer.span(statement(query), () => tx.run(query)),
    append: tx.append,
    publish: tx.publish,
  })
  return {
    ...db,
    read: (query, make) => tracer.span(statement(query), () => db.read(query, make)),
    find: (query, make) => tracer.span(statement(query), () => db.find(query, make)),
    scan: (query, make) => tracer.span(statement(query), () => db.scan(query, make)),
    stream: (query, make) => tracer.spanOfStream(statement(query), () => db.stream(query, make)),
    run: (query, entry) => tracer.span(statement(query), () => db.run(query, entry)),
    write: (work) =>
      tracer.span(transaction, () => {
        const inContext = tracer.bindToSpan((tx: Transaction) => work(tracedTransaction(tx)))
        return db.write(inContext)
      }),
  }
}
