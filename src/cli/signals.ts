/** What a service that is up does on a signal. */
interface SignalHandlers {
  readonly stop: (signal: NodeJS.Signals) => void
  readonly reload: () => void
}

let service: SignalHandlers | undefined
let isReloadRequested = false

/** Handles signals from the beginning of a start, which has acknowledged nothing yet and may end at once. */
export const takeSignals = () => {
  const stop = (signal: NodeJS.Signals) => (service ? service.stop(signal) : process.exit(0))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', () => {
    if (service) service.reload()
    else isReloadRequested = true
  })
}

/** Hands signals to the service once it is up. What changed while it was starting is read then. */
export const giveSignals = (handlers: SignalHandlers) => {
  service = handlers
  if (isReloadRequested) handlers.reload()
}
