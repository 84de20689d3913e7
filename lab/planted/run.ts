import { readArguments } from '#lab/arguments.ts'
import { runUntilNotVoid } from '#lab/faults/apart.ts'
import { faults } from '#lab/faults/faults.ts'
import { write } from '#lab/faults/result.ts'
import { line } from '#lab/faults/terminal.ts'
import type { Plant, PlantResult } from './plant.ts'
import { plants } from './plants.ts'

const usage = `npm --prefix lab run planted [-- words] [--write]

  words    only the mistakes whose names contain all of these
  --write  write the result to docs/durability
`

const { values, positionals } = readArguments(usage, {
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})

/** True if the fault that is meant to find the mistake finds it. */
const tryPlant = async ({ name, finder, size }: Plant): Promise<PlantResult> => {
  const fault = faults.find((one) => one.name === finder)
  if (!fault) throw new Error(`there is no fault ${finder}`)
  const { progress, end } = line(name)
  const { broken, figures } = await runUntilNotVoid({ fault, size, plant: name, progress })
  // A void history finds nothing, nor does a fault that was not completed and so has no figures.
  const found = broken.filter((reason) => !reason.startsWith('void'))
  const isCaught = found.length > 0 && Object.keys(figures).length > 0
  const says = found[0] ?? broken[0] ?? 'nothing'
  end(`${isCaught ? 'caught' : 'NOT CAUGHT'} by ${finder}: ${says}`)
  return { name, finder, isCaught, says }
}

const caught: PlantResult[] = []
for (const plant of plants.filter(({ name }) => positionals.every((word) => name.includes(word))))
  caught.push(await tryPlant(plant))
if (values.write) write({ tried: [], caught })
const found = caught.filter(({ isCaught }) => isCaught).length
console.log(`${found} of ${caught.length} planted mistakes caught`)
process.exitCode = found === caught.length && found > 0 ? 0 : 1
