import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { logSink } from './log/sink.ts'

interface LogSettings {
  readonly level: string
  readonly format: 'auto' | 'json' | 'pretty'
  /** The destination of log lines. By default, lines are written to standard output. */
  readonly sink?: DestinationStream | undefined
  /** A logger of an embedding program, used instead of the service's logger. The level of this logger counts. */
  readonly logger?: Logger | undefined
}

export type Log = ReturnType<typeof openLog>

export const openLog = ({ level, format, sink, logger }: LogSettings) => {
  if (logger) return { logger, lines: linesTo(logger), dropped: () => 0, close: async () => undefined }
  const isPretty = format === 'pretty' || (format === 'auto' && sink === undefined && process.stdout.isTTY)
  const standardOutput = sink ? undefined : logSink({ fd: 1 })
  const destination = sink ?? standardOutput ?? { write: () => undefined }
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const lines = isPretty ? prettyLines(destination) : destination
  return {
    logger: pino(options, lines) as Logger,
    /** Accepts log lines in JSON, one per call. */
    lines,
    /** The number of lines that were dropped because their destination did not accept them. */
    dropped: () => standardOutput?.dropped ?? 0,
    close: async () => standardOutput?.close(),
  }
}

export type { Logger }

/** Passes lines in JSON to a logger. */
const linesTo = (logger: Logger): DestinationStream => ({
  write(line) {
    const { level, time: _, ...fields } = JSON.parse(line)
    logger[level as 'info' | 'debug'](fields)
  },
})

/** Turns lines in JSON into lines for people at a terminal, such as `11:40:03.120 GET 200 /todos 0.8 ms 4f…`. */
const prettyLines = (destination: DestinationStream): DestinationStream => ({
  write(line) {
    const { time, level, track, method, route, path, host, status, ms, msg, err, ...more } = JSON.parse(line)
    const request = method && [method, status, route ?? path ?? '-', `${ms} ms`].join(' ')
    const words = [
      String(time).slice(11, 23),
      level === 'info' ? undefined : level,
      request ?? status,
      host,
      more.record,
      more.tried,
      msg,
      track,
    ]
    const stack = err?.stack ? `\n${err.stack}` : ''
    destination.write(`${words.filter((word) => word !== undefined).join(' ')}${stack}\n`)
  },
})
