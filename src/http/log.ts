import type { Logger } from 'pino'
import type { Exchange } from './exchange.ts'

/** What the web tells the log: never a body, a credential or a header that holds one. */
export interface RequestLog {
  answered(exchange: Exchange, status: number): void
  /** A request that the parser refused: it has no method or place. */
  refused(track: string, status: number): void
  failed(track: string, cause: unknown): void
}

export const requestLog = (logger: Logger): RequestLog => ({
  answered({ track, method, place, startedAtMs }, status) {
    const ms = Math.round((performance.now() - startedAtMs) * 1000) / 1000
    logger.info({ track, method, route: place, status, ms })
  },
  refused: (track, status) => logger.info({ track, status }),
  failed: (track, cause) => logger.error({ track, err: cause }),
})
