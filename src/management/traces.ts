import type { Route } from '#http/api/routes.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Engine } from '#sql/engine.ts'
import { otlpExporter } from './otlp.ts'
import { tracedDatabase, tracedRoutes } from './traced.ts'
import { tracer } from './tracing.ts'

/** Traces requests, services and statements. Without a collector, they are left unchanged. */
export interface Traces {
  database(db: Engine): Engine
  routes(table: readonly Route[]): readonly Route[]
  requests(respond: Responder): Responder
  close(): Promise<void>
}

interface TraceSettings {
  readonly endpoint: string | undefined
  /** What the collector requires of every request. */
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly serviceName: string
}

const none: Traces = {
  database: (db) => db,
  routes: (table) => table,
  requests: (respond) => respond,
  close: async () => undefined,
}

export const openTraces = ({ endpoint, headers = {}, serviceName }: TraceSettings): Traces => {
  if (endpoint === undefined) return none
  const exporter = otlpExporter({ endpoint, headers, serviceName })
  const spans = tracer(exporter)
  return {
    database: (db) => tracedDatabase(db, spans),
    routes: (table) => tracedRoutes(table, spans),
    requests: spans.requests,
    close: exporter.close,
  }
}
