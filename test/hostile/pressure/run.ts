import { basic } from './basic.ts'
import { hostileInputs } from './inputs.ts'
import { logins } from './logins.ts'
import { overload } from './overload.ts'
import { timing } from './timing.ts'

/** `npm run pressure -- overload|logins|basic|inputs|timing`: what a quiet machine with two cores must show, and no test can. */
const measures: Readonly<Record<string, (of: string | undefined) => Promise<void>>> = {
  overload,
  logins,
  basic,
  inputs: hostileInputs,
  timing,
}

const [name = '', of] = process.argv.slice(2)
const measure = measures[name]
if (measure) await measure(of)
else console.log(`one of ${Object.keys(measures).join(', ')}`)
