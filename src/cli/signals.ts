/** What a service that is up does at a signal. */
export interface Heard {
  readonly stop: (signal: NodeJS.Signals) => void
  readonly reload: () => void
}

let service: Heard | undefined
let isReloadAsked = false

/** Takes the signals from the beginning of a start, which has acknowledged nothing yet and may end at once. */
export const takeSignals = () => {
  const stop = (signal: NodeJS.Signals) => (service ? service.stop(signal) : process.exit(0))
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', () => {
    if (service) service.reload()
    else isReloadAsked = true
  })
}

/** Gives them to the service, from when it is up. Settings that changed while it came up are read then. */
export const giveSignals = (heard: Heard) => {
  service = heard
  if (isReloadAsked) heard.reload()
}
