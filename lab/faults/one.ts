/** Runs one fault and reports to its parent, which then ends it: the arguments are its name, its size and its directory. */
import type { Message } from './apart.ts'
import { faults } from './faults.ts'

const [name = '', size = '1', directory = ''] = process.argv.slice(2)
const fault = faults.find((one) => one.name === name)
if (!fault) throw new Error(`there is no fault ${name}`)

// If the parent is gone, this process ends with everything that it started.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))

const report = (message: Message) => process.send?.(message)
const progress = (share: number, words?: string) => void report({ share, words })
report({ outcome: await fault.run({ directory, size: Number(size), progress }) })
