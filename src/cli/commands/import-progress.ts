import { setTimeout as sleep } from 'node:timers/promises'
import type { Import } from '#client/types.ts'
import { withSeparators } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import type { Service } from '#src/cli/service.ts'

/** Ctrl-C was pressed. The message says how to continue. */
export class Interrupted extends Error {}

const busyStates: readonly Import['state'][] = ['reading', 'applying', 'undoing']

const longestPauseMs = 1_000

/** Waits for the background work of imports into this resource. Ctrl-C stops an import; a second one ends the command at once. */
export const importWaiter = ({ imports, value }: Service, plural: string) => {
  const { signal, ...disposable } = onInterrupt()

  const interrupted = async ({ importId, state }: Import) => {
    if (state === 'applying') await imports.stop(importId)
    const { counts } = value(await imports.get(importId))
    const done =
      state === 'reading'
        ? 'Nothing is written yet.'
        : `${withSeparators(counts.applied)} of ${withSeparators(planned(counts))} rows are written.`
    return new Interrupted(
      `Interrupted. ${done} Continue with \`rollcall import ${plural} --continue ${importId}\`, or in the console.`,
    )
  }

  return {
    ...disposable,
    async until(importId: string): Promise<Import> {
      using bar = barOf(plural)
      for (let pauseMs = 30; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
        const found = value(await imports.get(importId))
        bar.show(found)
        if (!busyStates.includes(found.state)) return found
        if (signal.aborted) throw await interrupted(found)
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}

/** The rows that applying writes. A service of an earlier version deletes none. */
export const planned = ({ new: added, changed, deleted = 0 }: Import['counts']) => added + changed + deleted

const onInterrupt = () => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once('SIGINT', stop)
  return { signal: controller.signal, [Symbol.dispose]: () => void process.off('SIGINT', stop) }
}

/** The progress in rows. The total is unknown until all of them have been read. */
const barOf = (plural: string) => {
  let bar: ReturnType<typeof progressBar> | undefined
  let before = 0
  return {
    show({ state, counts }: Import) {
      const judged = planned(counts) + counts.unchanged + counts.refused
      const [done, total] = state === 'applying' ? [counts.applied, planned(counts)] : [judged, counts.rows]
      if (state === 'undoing' || done === 0) return
      bar ??= progressBar(state === 'applying' ? `import ${plural}` : `read ${plural}`, total)
      bar.advance(done - before)
      before = done
      if (!busyStates.includes(state)) bar.end()
    },
    [Symbol.dispose]: () => bar?.[Symbol.dispose](),
  }
}
