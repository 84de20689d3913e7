import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { logSink } from './log/sink.ts'

interface LogSettings {
  readonly level: string
  readonly format: 'auto' | 'json' | 'pretty'
  /** Where lines go; standard output by default. */
  readonly sink?: DestinationStream | undefined
  /** Another logger, used with its own level in place of the service's logger. */
  readonly logger?: Logger | undefined
}

export type Log = ReturnType<typeof openLog>

export const openLog = ({ level, format, sink, logger }: LogSettings) => {
  if (logger) return { logger, lines: linesTo(logger), dropped: () => 0, close: async () => undefined }
  const isPretty = format === 'pretty' || (format === 'auto' && sink === undefined && process.stdout.isTTY)
  const own = sink ? undefined : logSink({ fd: 1 })
  const lines = sink ?? own ?? { write: () => undefined }
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const end = isPretty ? pretty(lines) : lines
  return {
    logger: pino(options, end) as Logger,
    /** The stream of log lines, one text per line. */
    lines: end,
    /** How many lines were dropped because their destination did not accept them. */
    dropped: () => own?.dropped ?? 0,
    close: async () => own?.close(),
  }
}

export type { Logger }

/** Passes finished lines to a logger. */
const linesTo = (logger: Logger): DestinationStream => ({
  write(line) {
    const { level, time: _, ...fields } = JSON.parse(line)
    logger[level as 'info' | 'debug'](fields)
  },
})

/** `11:40:03.120 GET 200 /todos 0.8 ms 4f…`, for people at a terminal. */
const pretty = (lines: DestinationStream): DestinationStream => ({
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
    lines.write(`${words.filter((word) => word !== undefined).join(' ')}${stack}\n`)
  },
})
