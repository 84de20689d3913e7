import { isatty } from 'node:tty'

interface SignalHandlers {
  readonly stop: (signal: NodeJS.Signals) => void
  readonly reload: () => void
}

let service: SignalHandlers | undefined
let isReloadRequested = false

/**
 * Handles signals from the beginning of a start. Until the service runs, SIGTERM and SIGINT end the process immediately, because
 * no write has been acknowledged yet. SIGHUP reloads, or ends the service if the terminal that started it is closed.
 */
export const catchSignals = () => {
  const stop = (signal: NodeJS.Signals) => (service ? service.stop(signal) : process.exit(0))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  const terminals = [0, 2].filter(isatty)
  process.on('SIGHUP', () => {
    // Once a terminal is closed, isatty is false for its descriptors.
    if (terminals.length > 0 && !terminals.some(isatty)) stop('SIGHUP')
    else if (service) service.reload()
    else isReloadRequested = true
  })
}

/** Passes signals to the running service from now on, including a reload that was requested during the start. */
export const passSignalsTo = (handlers: SignalHandlers) => {
  service = handlers
  if (isReloadRequested) handlers.reload()
}
