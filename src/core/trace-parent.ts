interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  /** True if the caller records its spans. */
  readonly isSampled: boolean
}

/** Version 00 ends with the flags. A later version may have more fields. */
const shape =
  /^(?!ff)(?!00.{53}-)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Parses a `traceparent` header (W3C Trace Context); undefined if it is not valid. */
export const parseTraceParent = (header: string): TraceParent | undefined => {
  const [, traceId, spanId, flags = ''] = shape.exec(header) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
