import { Session } from 'node:inspector/promises'

/** The files of `src` of which some function runs during this work, without `src/` and `.ts`. */
export const filesRunBy = async (work: () => Promise<unknown>): Promise<ReadonlySet<string>> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    return new Set(ran.flatMap(({ url }) => /\/src\/(.+)\.ts$/.exec(url)?.[1] ?? []))
  } finally {
    session.disconnect()
  }
}
