import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Log } from '#src/log.ts'
import type { Metrics } from '#src/management/metrics.ts'

const checkIntervalMs = 1_000

/** With fewer free descriptors, connections are refused: Node accepts each and closes it, so that a few stay free. */
const fewest = 4

/** This many checks in a row must succeed before another failure is logged. */
const calmChecks = 10

/**
 * Detects that no file descriptors are left, by opening some once a second: new connections are then closed unanswered or wait,
 * and Node reports no error.
 */
export const watchDescriptors = ({ logger }: Pick<Log, 'logger'>, metrics: Metrics) => {
  let calm = calmChecks
  const look = () => {
    const code = refusal()
    if (code !== undefined) {
      metrics.descriptorsExhausted()
      if (calm >= calmChecks) logger.error({ code }, 'no file descriptor is free')
      calm = 0
    } else if (calm < calmChecks && ++calm === calmChecks) logger.info('file descriptors are free again')
  }
  const timer = setInterval(look, checkIntervalMs).unref()
  return () => clearInterval(timer)
}

/** The process has too many open files (EMFILE), or the whole system has (ENFILE). */
const refusal = (): string | undefined => {
  const opened: number[] = []
  try {
    while (opened.length < fewest) opened.push(openSync(devNull, 'r'))
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EMFILE' || code === 'ENFILE' ? code : undefined
  } finally {
    for (const one of opened) closeSync(one)
  }
}
