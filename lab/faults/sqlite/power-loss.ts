import { type Fault, rounds } from '../fault.ts'
import { needsStrace } from '../inject.ts'
import { engineLosses } from '../power/engine.ts'
import { plainLosses } from '../power/plain.ts'
import type { Losses } from '../power/replay.ts'
import { wholeLosses } from '../power/whole.ts'

/** The power fails at any moment, and the disk may lose what was not synced. */
export const powerLoss: Fault = {
  name: 'power loss',
  engine: 'sqlite',
  promise:
    'Nothing acknowledged is lost and no file is corrupt, wherever the power is cut; a writer that does not sync is detected.',
  unable: needsStrace,
  async run(stage) {
    const { directory, progress } = stage
    const cuts = rounds(stage, 6000)
    const progressOf = (from: number, part: string) => (done: number) => {
      if (done % 100 === 0) progress(from + done / cuts / 3, part)
    }
    const engine = await engineLosses({ directory, writes: cuts, cuts, onCut: progressOf(0, 'engine') })
    const whole = await wholeLosses({ directory, changes: cuts, cuts, onCut: progressOf(1 / 3, 'service') })
    const control = await plainLosses({
      directory,
      synchronous: 'NORMAL',
      commits: cuts / 4,
      cuts,
      onCut: progressOf(2 / 3, 'control'),
    })
    const totalCuts = engine.cuts + whole.cuts
    return {
      figure: `${totalCuts} cuts: ${engine.lost + whole.lost} lost, ${engine.corrupt + whole.corrupt} corrupt; control without syncs: ${control.lost} of ${control.cuts} lost`,
      broken: [
        ...brokenBy('engine', engine),
        ...brokenBy('service', whole),
        ...(control.lost > 0 ? [] : ['the control lost nothing']),
      ],
      figures: {
        cuts: totalCuts,
        places: engine.places + whole.places,
        lost: engine.lost + whole.lost,
        corrupt: engine.corrupt + whole.corrupt,
        controlCuts: control.cuts,
        controlLost: control.lost,
      },
    }
  },
}

const brokenBy = (name: string, { lost, corrupt, example }: Losses) =>
  lost + corrupt === 0 ? [] : [`${name}: ${lost} lost, ${corrupt} corrupt, such as ${example}`]
