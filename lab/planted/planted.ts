import { tryApart } from '#lab/faults/apart.ts'
import { faults } from '#lab/faults/faults.ts'
import { line } from '#lab/faults/terminal.ts'
import type { Plant } from './plants.ts'

export interface Caught {
  readonly name: string
  readonly finder: string
  readonly isCaught: boolean
  /** What the finder reported. */
  readonly says: string
}

/** Whether each mistake is found by the fault meant to find it. */
export const tryPlants = async (plants: readonly Plant[]): Promise<Caught[]> => {
  const results: Caught[] = []
  for (const plant of plants) results.push(await tryPlant(plant))
  process.stdout.write(
    `planted mistakes: ${results.filter(({ isCaught }) => isCaught).length} of ${plants.length} caught\n`,
  )
  return results
}

const tryPlant = async ({ name, finder, size }: Plant): Promise<Caught> => {
  const fault = faults.find((one) => one.name === finder)
  if (!fault) throw new Error(`there is no fault ${finder}`)
  const { progress, end } = line(`planted: ${name}`)
  const { broken, figures } = await tryApart({ fault, size, plant: name, progress })
  // A void history finds nothing, nor does a fault that was not completed and so has no figures.
  const found = broken.filter((reason) => !reason.startsWith('void'))
  const isCaught = found.length > 0 && Object.keys(figures).length > 0
  const says = found[0] ?? 'nothing'
  end(`${isCaught ? 'caught' : 'NOT CAUGHT'} by ${finder}: ${says}`)
  return { name, finder, isCaught, says }
}
