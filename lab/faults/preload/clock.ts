/** Loaded before the service: shifts its clock by the offset in a file, which it reads on SIGUSR2. */
import { readFileSync } from 'node:fs'

const now = Date.now.bind(Date)
let offMs = 0

Date.now = () => now() + offMs

process.on('SIGUSR2', () => {
  offMs = Number(readFileSync(process.env.CLOCK_FILE ?? '', 'utf8'))
})
