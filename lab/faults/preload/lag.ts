/** Loaded before the service: the first SIGUSR2 starts measuring its event loop delay, the next writes the result. */
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
