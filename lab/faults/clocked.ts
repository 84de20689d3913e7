import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignSettings } from '#lab/changes/campaign.ts'
import { campaignAmid } from '#lab/changes/campaign-amid.ts'
import { rounds, type Stage } from './fault.ts'
import { type Instance, openInstance } from './instance.ts'
import { hourMs, jumpingClock, jumps } from './sqlite/clock.ts'

/** An instance whose clock can jump, and which sweeps all the time instead of every minute. */
interface ClockedInstance extends Instance {
  readonly jump: (ms: number) => Promise<void>
}

const hurry = ['--import', join(import.meta.dirname, 'preload/hurry.ts')]
const minuteMs = 60_000
/** Changes are kept for a minute, and each leap is this much shorter, so changes older than this are too old after it. */
const keptMs = 3_000

export const openClocked = (
  databaseUrl: string,
  { directory }: Stage,
  { count = 1, settings = {} }: { readonly count?: number; readonly settings?: NodeJS.ProcessEnv } = {},
): Promise<readonly ClockedInstance[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const { nodeArguments, jump, ...clock } = jumpingClock(join(directory, `clock-${at}`))
      const all = { ...campaignSettings, ...clock.settings, ...settings }
      const instance = await openInstance(databaseUrl, all, [...nodeArguments, ...hurry])
      return Object.assign(instance, { jump: (ms: number) => jump(instance.pid, ms) })
    }),
  )

/** One clock after the other jumps ahead and behind. Instances whose clocks differ may both deliver. */
export const campaignAmidJumps = async (stage: Stage, databaseUrl: string, count: number) => {
  const instances = await openClocked(databaseUrl, stage, { count })
  return campaignAmid({
    ...{ databaseUrl, what: `${jumps.length * count} jumps`, urls: instances.map(({ url }) => url) },
    maxRepeats: count > 1 ? Number.POSITIVE_INFINITY : 0,
    async disturb() {
      for (const { jump } of instances)
        for (const hours of jumps) {
          await jump(hours * hourMs)
          await sleep(500)
        }
    },
    stop: () => Promise.all(instances.map((one) => one.end('SIGTERM'))),
  })
}

/** Time leaps on all instances together, so that again and again most of the log is too old. */
export const campaignAmidSweeps = async (stage: Stage, databaseUrl: string, count: number) => {
  const instances = await openClocked(databaseUrl, stage, {
    count,
    settings: { CHANGES_KEEP: '1m', CLOCK_LEAPS: '1' },
  })
  const leaps = Math.max(5, rounds(stage, 10))
  return campaignAmid({
    ...{ databaseUrl, what: `${leaps} sweeps`, urls: instances.map(({ url }) => url), isSwept: true },
    async disturb({ archive, oldest, complain }) {
      for (let leap = 1; leap <= leaps; leap++) {
        await archive()
        await Promise.all(instances.map(({ jump }) => jump(leap * (minuteMs - keptMs))))
        await archive()
        await sleep(keptMs / 2)
      }
      if ((await oldest()) === 1) complain('nothing was swept')
    },
    stop: () => Promise.all(instances.map((one) => one.end('SIGTERM'))),
  })
}
