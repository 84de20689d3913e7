/** Loaded before the service: shifts its clock by the offset in a file, which it reads on SIGUSR2. With CLOCK_LEAPS, time itself leaps. */
import { readFileSync } from 'node:fs'

const now = Date.now.bind(Date)
let offMs = 0

Date.now = () => now() + offMs

const uptime = process.uptime.bind(process)

if (process.env.CLOCK_LEAPS) process.uptime = () => uptime() + offMs / 1_000

process.on('SIGUSR2', () => {
  offMs = Number(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'))
})
