/** The reactions of a running service to signals. */
interface SignalHandlers {
  readonly stop: (signal: NodeJS.Signals) => void
  readonly reload: () => void
}

let service: SignalHandlers | undefined
let isReloadRequested = false

/**
 * Handles signals from the first moment of a start. Before the service runs, the process ends at once on SIGTERM or SIGINT, because
 * no write has been acknowledged yet.
 */
export const catchSignals = () => {
  const stop = (signal: NodeJS.Signals) => (service ? service.stop(signal) : process.exit(0))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', () => {
    if (service) service.reload()
    else isReloadRequested = true
  })
}

/** Passes signals to the running service from now on, including a reload that was requested during the start. */
export const passSignalsTo = (handlers: SignalHandlers) => {
  service = handlers
  if (isReloadRequested) handlers.reload()
}
