import type { Route } from '#http/api/routes.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Engine } from '#sql/engine.ts'
import { tracedDatabase, tracedRoutes } from './instrumentation.ts'
import { otlpExporter } from './otlp.ts'
import { tracer } from './tracer.ts'

/** Traces requests, route handlers and statements. Without a collector, nothing is traced. */
export interface Traces {
  database(db: Engine): Engine
  routes(table: readonly Route[]): readonly Route[]
  requests(respond: Responder): Responder
  /** The number of spans that the collector did not get. */
  lost(): number
  close(): Promise<void>
}

interface TraceSettings {
  readonly endpoint: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly serviceName: string
  /** The share of requests to trace, if the caller does not decide. */
  readonly share: number
}

const noTraces: Traces = {
  database: (db) => db,
  routes: (table) => table,
  requests: (respond) => respond,
  lost: () => 0,
  close: async () => undefined,
}

export const openTraces = ({ endpoint, headers = {}, serviceName, share }: TraceSettings): Traces => {
  if (endpoint === undefined) return noTraces
  const exporter = otlpExporter({ endpoint, headers, serviceName })
  const spans = tracer(exporter, share)
  return {
    database: (db) => tracedDatabase(db, spans),
    routes: (table) => tracedRoutes(table, spans),
    requests: spans.requests,
    lost: exporter.lost,
    close: exporter.close,
  }
}
