import { tryApart } from '../apart.ts'
import { faults } from '../faults.ts'
import { line } from '../terminal.ts'
import { copyWith } from './copy.ts'
import type { Plant } from './plants.ts'

export interface Caught {
  readonly name: string
  readonly finder: string
  readonly isCaught: boolean
  /** What the finder said of it. */
  readonly says: string
}

/** Whether each mistake is found by the fault that is there to find it. */
export const tryPlants = async (plants: readonly Plant[]): Promise<Caught[]> => {
  const results: Caught[] = []
  for (const plant of plants) results.push(await tryPlant(plant))
  process.stdout.write(
    `planted mistakes: ${results.filter(({ isCaught }) => isCaught).length} of ${plants.length} caught\n`,
  )
  return results
}

export const tryPlant = async ({ name, changes, finder, size }: Plant): Promise<Caught> => {
  const fault = faults.find((one) => one.name === finder)
  if (!fault) throw new Error(`there is no fault ${finder}`)
  const on = line(`planted: ${name}`)
  using copy = copyWith(changes)
  const { broken, figures } = await tryApart({ fault, size, root: copy.root, progress: on.progress })
  // A history that is void finds nothing, nor does a fault that did not get through and has no figures.
  const found = broken.filter((what) => !what.startsWith('void'))
  const isCaught = found.length > 0 && Object.keys(figures).length > 0
  const says = found[0] ?? 'nothing'
  on.end(`${isCaught ? 'caught' : 'NOT CAUGHT'} by ${finder}: ${says}`)
  return { name, finder, isCaught, says }
}
