import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import type { Log } from '#src/log.ts'
import type { Metrics } from '#src/management/metrics.ts'

const checkIntervalMs = 1_000

/** With fewer free descriptors, Node closes each new connection immediately after accepting it, so that a few descriptors stay free. */
const minFreeDescriptors = 4

/** This many checks in a row must succeed before another failure is logged. */
const checksBeforeReport = 10

/**
 * Detects that no file descriptors are left, by opening some once a second. Node itself reports no error: new connections then wait
 * or are closed without a response.
 */
export const watchDescriptors = ({ logger }: Pick<Log, 'logger'>, metrics: Metrics) => {
  let successfulChecks = checksBeforeReport
  const check = () => {
    const code = findExhaustion()
    if (code !== undefined) {
      metrics.descriptorsExhausted()
      if (successfulChecks >= checksBeforeReport) logger.error({ code }, 'no file descriptor is free')
      successfulChecks = 0
    } else if (successfulChecks < checksBeforeReport && ++successfulChecks === checksBeforeReport)
      logger.info('file descriptors are free again')
  }
  const timer = setInterval(check, checkIntervalMs).unref()
  return () => clearInterval(timer)
}

/** The error code if the process (EMFILE) or the whole system (ENFILE) has too many open files. */
const findExhaustion = (): string | undefined => {
  const opened: number[] = []
  try {
    while (opened.length < minFreeDescriptors) opened.push(openSync(devNull, 'r'))
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EMFILE' || code === 'ENFILE' ? code : undefined
  } finally {
    for (const one of opened) closeSync(one)
  }
}
