/** Loaded before the service: SIGUSR2 begins to measure how late its event loop is, and writes it down. */
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 5
const delay = monitorEventLoopDelay({ resolution: resolutionMs })

process.on('SIGUSR2', () => {
  if (delay.count > 0) {
    delay.disable()
    writeFileSync(process.env.LAG_FILE ?? '', String(Math.round(delay.percentile(99) / 1e6 - resolutionMs)))
  } else delay.enable()
})
