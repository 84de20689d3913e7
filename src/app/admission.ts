import type { AdministratorCreated } from '#ledger/administrator.ts'
import { sweeping } from '#ledger/sweep.ts'
import type { Config } from '#src/config.ts'
import type { Log } from '#src/log.ts'
import { type Defences, openDefences } from './defences.ts'
import { type Entrance, openEntrance } from './entrance.ts'
import type { Ground } from './ground.ts'

/** Who may enter, and how often. */
export interface Admission {
  readonly entrance: Entrance
  /** The ones in force now. */
  readonly defences: Defences
  /** The defences for other settings. They take effect when adopted. */
  defencesOf(config: Config): Defences
  adopt(config: Config, defences: Defences): void
}

interface AdmissionGround extends Ground {
  readonly log: Log
  readonly prefixes: readonly string[]
  readonly administratorCreated: AdministratorCreated | undefined
}

/** Defers whatever must be closed on `opened`. */
export const openAdmission = async (
  config: Config,
  { log, ...ground }: AdmissionGround,
  opened: AsyncDisposableStack,
): Promise<Admission> => {
  const warn = (error: unknown) => log.logger.warn({ err: error }, 'access')
  let defences = openDefences(config, { ...ground, warn })
  opened.defer(() => defences.stop())
  const entrance = await openEntrance(config, { ...ground, warn })
  opened.defer(entrance.close)
  const sweepable = {
    sweep: async () =>
      (await ground.answers.sweep()) +
      (await ground.changes.sweep()) +
      (await entrance.sweep()) +
      (await defences.sweep()),
  }
  const sweep = sweeping(sweepable, (error) => log.logger.warn({ err: error }, 'sweep failed'))
  opened.defer(sweep.stop)
  return {
    entrance,
    get defences() {
      return defences
    },
    defencesOf: (next) => openDefences(next, { ...ground, warn, before: defences }),
    adopt(config, next) {
      defences.stop()
      defences = next
      entrance.reload(config)
    },
  }
}
