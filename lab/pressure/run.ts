import { changes } from './changes.ts'
import { imports } from './imports.ts'
import { hostileInputs } from './inputs.ts'
import { logins } from './logins.ts'
import { overload } from './overload.ts'
import { timing } from './timing.ts'

/** `npm --prefix lab run pressure -- overload|logins|inputs|timing|changes|imports`: measurements that need two quiet cores, so they are not tests. */
const measurements: Readonly<Record<string, (argument: string | undefined) => Promise<void>>> = {
  overload,
  logins,
  inputs: hostileInputs,
  timing,
  changes,
  imports,
}

const [name = '', argument] = process.argv.slice(2)
const measure = measurements[name]
if (measure) await measure(argument)
else console.log(`one of ${Object.keys(measurements).join(', ')}`)
