import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { Problem } from '#core/problem.ts'
import { randomHex } from '#core/random-hex.ts'
import { parseTraceParent } from '#core/trace-parent.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { statusOf } from '#http/wire/errors.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import type { Exporter, Span } from './otlp.ts'

type Attributes = Span['attributes']

export interface Work {
  readonly name: string
  readonly kind: Span['kind']
  readonly attributes?: Attributes
}

export interface Tracer {
  /** Runs work in a span, if the enclosing work is traced. */
  span<T>(work: Work, run: () => Promise<T>): Promise<T>
  /** The span of a stream lasts until the last piece is read or the reader stops. */
  spanOfStream<T>(work: Work, begin: () => AsyncIterable<T>): AsyncIterable<T>
  /** Binds work to the current span, if it runs later. */
  bindToSpan<A extends readonly unknown[], T>(run: (...args: A) => T): (...args: A) => T
  /** Traces requests. If the caller sends a trace, its trace is continued. */
  requests(respond: Responder): Responder
}

interface Context {
  readonly traceId: string
  readonly spanId: string
}

export const tracer = (exporter: Pick<Exporter, 'add'>, share: number): Tracer => {
  const contexts = new AsyncLocalStorage<Context>()

  const runInSpan = async <T>(
    { name, kind, attributes = {} }: Work,
    run: () => Promise<T>,
    { context, parentSpanId, describeEnd, endsLater }: TracedSpan<T>,
  ): Promise<T> => {
    const startMs = nowMs()
    const record = (more: SpanEnd) =>
      exporter.add({ ...context, parentSpanId, name, kind, startMs, endMs: nowMs(), ...more })
    try {
      const result = await contexts.run(context, run)
      const recordResult = () => record(describeEnd?.(result, undefined) ?? { attributes, hasFailed: false })
      const end = endsLater?.(result)
      if (end) void end.then(recordResult, recordResult)
      else recordResult()
      return result
    } catch (error) {
      record(describeEnd?.(undefined, error) ?? { attributes, hasFailed: true })
      throw error
    }
  }

  async function* tracedPieces<T>(
    { name, kind, attributes = {} }: Work,
    begin: () => AsyncIterable<T>,
    parent: Context,
  ) {
    const context = { traceId: parent.traceId, spanId: newSpanId() }
    const startMs = nowMs()
    const iterator = contexts.run(context, () => begin()[Symbol.asyncIterator]())
    let hasFailed = false
    try {
      for (;;) {
        const next = await contexts.run(context, () => iterator.next())
        if (next.done) return
        yield next.value
      }
    } catch (error) {
      hasFailed = true
      throw error
    } finally {
      await iterator.return?.()
      const parentSpanId = parent.spanId
      exporter.add({ ...context, parentSpanId, name, kind, startMs, endMs: nowMs(), attributes, hasFailed })
    }
  }

  return {
    span(work, run) {
      const parent = contexts.getStore()
      if (!parent) return run()
      return runInSpan(work, run, {
        context: { traceId: parent.traceId, spanId: newSpanId() },
        parentSpanId: parent.spanId,
      })
    },

    spanOfStream(work, begin) {
      const parent = contexts.getStore()
      return parent ? tracedPieces(work, begin, parent) : begin()
    },

    bindToSpan(run) {
      const context = contexts.getStore()
      return context ? (...args) => contexts.run(context, () => run(...args)) : run
    },

    requests: (respond) => (exchange) => {
      const caller = parseTraceParent(header(exchange, 'traceparent') ?? '')
      const traceId = caller?.traceId ?? (isTraceId.test(exchange.track) ? exchange.track : newTraceId())
      if (!(caller ? caller.isSampled : isSampled(traceId, share))) return respond(exchange)
      return runInSpan({ name: '', kind: 'server' }, () => respond(exchange), {
        context: { traceId, spanId: newSpanId() },
        parentSpanId: caller?.spanId,
        describeEnd: (answer, error) => requestEnd(exchange, answer?.status ?? statusOfError(error)),
        endsLater: (answer) => (isStreamed(answer) ? waitUntilClosed(exchange) : undefined),
      })
    },
  }
}

interface SpanEnd {
  readonly name?: string
  readonly attributes: Attributes
  readonly hasFailed: boolean
}

interface TracedSpan<T> {
  readonly context: Context
  readonly parentSpanId: string | undefined
  readonly describeEnd?: (result: T | undefined, error: unknown) => SpanEnd
  /** Resolves when the work ends, if it ends later than its result is returned. */
  readonly endsLater?: (result: T) => Promise<unknown> | undefined
}

const isStreamed = ({ body }: Answer) =>
  body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body)

/** Resolves when the response is sent or the caller has closed the connection. Rejects if the connection broke. */
const waitUntilClosed = async ({ outgoing }: Exchange) => outgoing.closed || once(outgoing, 'close')

const requestEnd = ({ method, routePattern, track, outgoing }: Exchange, status: number): SpanEnd => ({
  name: routePattern === undefined ? method : `${method} ${routePattern}`,
  attributes: {
    'http.request.method': method,
    'http.route': routePattern ?? '',
    'http.response.status_code': status,
    'rollcall.track': track,
  },
  hasFailed: status >= 500 || (outgoing.closed && !outgoing.writableFinished),
})

const statusOfError = (error: unknown) => (error instanceof Problem ? statusOf[error.kind] : 500)

const nowMs = () => performance.timeOrigin + performance.now()

const newSpanId = randomHex(16)
const newTraceId = randomHex(32)

/** Decides by the last digits of the trace id, as OpenTelemetry samplers do, so that all services sample the same traces. */
const isSampled = (traceId: string, share: number) =>
  Number.parseInt(traceId.slice(-decisiveDigits), 16) < share * 16 ** decisiveDigits

const decisiveDigits = 13

const isTraceId = /^(?!0{32})[0-9a-f]{32}$/
