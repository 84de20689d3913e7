/** Loaded before the service: its clock is off by what stands in a file, which SIGUSR2 makes it read. */
import { readFileSync } from 'node:fs'

const now = Date.now.bind(Date)
let offMs = 0

Date.now = () => now() + offMs

process.on('SIGUSR2', () => {
  offMs = Number(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'))
})
