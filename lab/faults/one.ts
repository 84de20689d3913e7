/** Runs one fault and reports to its parent: the arguments are its name and its size. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from './apart.ts'
import { faults } from './faults.ts'

const [name = '', size = '1'] = process.argv.slice(2)
const fault = faults.find((one) => one.name === name)
if (!fault) throw new Error(`there is no fault ${name}`)

// If the parent is gone, this process ends with everything that it started.
const endAll = () => process.kill(-process.pid, 'SIGKILL')
process.on('disconnect', endAll)

const report = (message: Message) => process.send?.(message)
const directory = mkdtempSync(join(tmpdir(), 'rollcall-fault-'))
try {
  const progress = (share: number, words?: string) => void report({ share, words })
  report({ outcome: await fault.run({ directory, size: Number(size), progress }) })
} finally {
  rmSync(directory, { recursive: true, force: true })
  process.off('disconnect', endAll)
  process.disconnect?.()
}
