import type { App } from '#src/app.ts'
import { exitCodes, sentenceOf } from './exit.ts'

/** A stop takes no longer than this, even if something hangs: everything acknowledged is already durable. */
const maxStopMs = 9_700

/** A signal that follows this soon is the first one again: npm passes on a Ctrl-C that the terminal has already sent to everybody. */
const sameSignalMs = 300

/** A supervisor that sends SIGTERM needs time to redirect callers; a person who sends SIGINT at a terminal does not want to wait. */
export const stopping = (app: App) => {
  const end = (code: number) => void app.closeLog().then(() => process.exit(code))
  let firstAtMs: number | undefined
  return (signal: NodeJS.Signals) => {
    if (firstAtMs !== undefined) {
      if (performance.now() - firstAtMs > sameSignalMs) end(exitCodes.stopped)
      return
    }
    firstAtMs = performance.now()
    app.note('stopping', { signal })
    setTimeout(() => end(exitCodes.stopped), maxStopMs).unref()
    const drained = signal === 'SIGTERM' ? app.drain() : Promise.resolve()
    void drained.then(app.close).then(
      () => process.exit(exitCodes.stopped),
      (error) => {
        report(error)
        process.exit(exitCodes.failed)
      },
    )
  }
}

/** What nobody caught is a bug of ours: it has a line in the log, after those of the requests before it, and the process ends. */
export const crashing = (app: App) => (error: unknown) => {
  app.noteCrash(error)
  report(error)
  void app.closeLog().then(() => process.exit(exitCodes.failed))
}

const report = (error: unknown) => process.stderr.write(`rollcall: ${sentenceOf(error) ?? error}\n`)
