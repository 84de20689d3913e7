/** One piece of work, as OpenTelemetry describes it. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly hasFailed: boolean
}

interface ExporterSettings {
  /** The base URL of the collector. Spans are sent to `/v1/traces` below it. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

export type Exporter = ReturnType<typeof otlpExporter>

const exportIntervalMs = 2_000
const batchSize = 512
const maxWaiting = 4_096
const exportTimeoutMs = 3_000

/** Exports spans in batches by OTLP over HTTP in JSON. If the collector is unreachable, spans are lost, but no request fails. */
export const otlpExporter = (settings: ExporterSettings) => {
  const waiting: Span[] = []
  let sending: Promise<void> | undefined
  let lost = 0

  const sendAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchSize)
      if (await post(settings, batch)) continue
      lost += batch.length
      return
    }
  }
  const flush = () => {
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }
  const timer = setInterval(() => void flush(), exportIntervalMs)
  timer.unref()

  return {
    add(span: Span) {
      if (waiting.length >= maxWaiting) lost++
      else if (waiting.push(span) === batchSize) void flush()
    },
    lost: () => lost,
    async close() {
      clearInterval(timer)
      await sending
      await flush()
    },
  }
}

const post = async ({ endpoint, headers, serviceName }: ExporterSettings, spans: readonly Span[]) => {
  const attributes = [attribute(['service.name', serviceName])]
  const scopeSpans = [{ scope: { name: 'rollcall' }, spans: spans.map(otlpSpan) }]
  try {
    const answer = await fetch(`${endpoint}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] }),
      signal: AbortSignal.timeout(exportTimeoutMs),
    })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

const kinds = { internal: 1, server: 2, client: 3 }
const failedStatus = { code: 2 }

const otlpSpan = ({ kind, startMs, endMs, attributes, hasFailed, ...rest }: Span) => ({
  ...rest,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: Object.entries(attributes).map(attribute),
  status: hasFailed ? failedStatus : {},
})

/** Converts with BigInt, because a double cannot hold the nanoseconds since 1970 exactly. */
const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n)

const attribute = ([key, value]: readonly [string, string | number]) => ({
  key,
  value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
})
