/** Runs one fault and tells its parent: arguments are its name and its size. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Told } from './apart.ts'
import { faults } from './faults.ts'

const [name = '', size = '1'] = process.argv.slice(2)
const fault = faults.find((one) => one.name === name)
if (!fault) throw new Error(`there is no fault ${name}`)

// Whoever asked is gone: then so are we, and all that we began.
const endAll = () => process.kill(-process.pid, 'SIGKILL')
process.on('disconnect', endAll)

const tell = (told: Told) => process.send?.(told)
const directory = mkdtempSync(join(tmpdir(), 'rollcall-fault-'))
try {
  const progress = (share: number, words?: string) => void tell({ share, words })
  tell({ outcome: await fault.run({ directory, size: Number(size), progress }) })
} finally {
  rmSync(directory, { recursive: true, force: true })
  process.off('disconnect', endAll)
  process.disconnect?.()
}
