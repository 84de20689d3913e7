import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/api.ts'
import { statusOf } from '#http/errors.ts'
import { type Exchange, header } from '#http/exchange.ts'
import type { Exporter, Span } from './otlp.ts'

type Attributes = Span['attributes']

export interface Work {
  readonly name: string
  readonly kind: Span['kind']
  readonly attributes?: Attributes
}

export interface Tracer {
  /** Tells of a piece of work below the one that it is part of, if that is told of. */
  span<T>(work: Work, run: () => Promise<T>): Promise<T>
  /** Where work is run by somebody else later: keeps what it is part of. */
  bound<A extends readonly unknown[], T>(run: (...args: A) => T): (...args: A) => T
  /** Tells of requests; what a caller's trace began is continued. */
  requests(respond: Responder): Responder
}

interface Context {
  readonly traceId: string
  readonly spanId: string
}

export const tracer = (exporter: Pick<Exporter, 'add'>): Tracer => {
  const contexts = new AsyncLocalStorage<Context>()

  const told = async <T>(
    { name, kind, attributes = {} }: Work,
    run: () => Promise<T>,
    { context, parentSpanId, ended }: Told<T>,
  ): Promise<T> => {
    const startMs = nowMs()
    const tell = (more: End) =>
      exporter.add({ ...context, parentSpanId, name, kind, startMs, endMs: nowMs(), ...more })
    try {
      const result = await contexts.run(context, run)
      tell(ended?.(result, undefined) ?? { attributes, hasFailed: false })
      return result
    } catch (error) {
      tell(ended?.(undefined, error) ?? { attributes, hasFailed: true })
      throw error
    }
  }

  return {
    span(work, run) {
      const parent = contexts.getStore()
      if (!parent) return run()
      return told(work, run, {
        context: { traceId: parent.traceId, spanId: newSpanId() },
        parentSpanId: parent.spanId,
      })
    },

    bound(run) {
      const context = contexts.getStore()
      return context ? (...args) => contexts.run(context, () => run(...args)) : run
    },

    requests: (respond) => (exchange) => {
      const caller = readTraceparent(header(exchange, 'traceparent'))
      if (caller?.isSampled === false) return respond(exchange)
      const traceId = caller?.traceId ?? (isTraceId.test(exchange.track) ? exchange.track : newTraceId())
      return told({ name: '', kind: 'server' }, () => respond(exchange), {
        context: { traceId, spanId: newSpanId() },
        parentSpanId: caller?.spanId,
        ended: (answer, error) => requestEnd(exchange, answer?.status ?? statusOfError(error)),
      })
    },
  }
}

interface End {
  readonly name?: string
  readonly attributes: Attributes
  readonly hasFailed: boolean
}

interface Told<T> {
  readonly context: Context
  readonly parentSpanId: string | undefined
  readonly ended?: (result: T | undefined, error: unknown) => End
}

const requestEnd = ({ method, place, track }: Exchange, status: number): End => ({
  name: place === undefined ? method : `${method} ${place}`,
  attributes: {
    'http.request.method': method,
    'http.route': place ?? '',
    'http.response.status_code': status,
    'rollcall.track': track,
  },
  hasFailed: status >= 500,
})

const statusOfError = (error: unknown) => (error instanceof Problem ? statusOf[error.kind] : 500)

const nowMs = () => performance.timeOrigin + performance.now()

const newSpanId = () => randomBytes(8).toString('hex')
const newTraceId = () => randomBytes(16).toString('hex')

const isTraceId = /^(?!0{32})[0-9a-f]{32}$/
const traceparent =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** W3C Trace Context. The last bit of the flags says whether the caller's own spans are kept. */
const readTraceparent = (given: string | undefined) => {
  const [, traceId, spanId, flags = ''] = traceparent.exec(given ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
