import { setTimeout as sleep } from 'node:timers/promises'
import type { Import } from '#client/types.ts'
import { formatCount } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import type { Service } from '#src/cli/service.ts'

/** Ctrl-C was pressed. The message says how to continue. */
export class Interrupted extends Error {}

const busyStates: readonly Import['state'][] = ['reading', 'applying', 'undoing']

const longestPauseMs = 1_000

/** Waits for the background work of imports into this resource. Ctrl-C stops the import; a second one ends the command. */
export const importWaiter = ({ imports, value }: Service, plural: string) => {
  const { signal, ...disposable } = abortOnInterrupt()

  const stopImport = async ({ importId, state }: Import) => {
    if (state === 'applying') await imports.stop(importId)
    const { counts } = value(await imports.get(importId))
    const done =
      state === 'reading'
        ? 'Nothing is written yet.'
        : `${formatCount(counts.applied)} of ${formatCount(plannedIn(counts))} rows are written.`
    return new Interrupted(
      `Interrupted. ${done} Continue with \`rollcall import ${plural} --continue ${importId}\`, or in the console.`,
    )
  }

  return {
    ...disposable,
    async waitFor(importId: string): Promise<Import> {
      using bar = importBar(plural)
      for (let pauseMs = 30; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
        const current = value(await imports.get(importId))
        bar.show(current)
        if (!busyStates.includes(current.state)) return current
        if (signal.aborted) throw await stopImport(current)
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      }
    },
  }
}

/** The number of rows that applying writes. Earlier versions of the service do not send `deleted`. */
export const plannedIn = ({ new: added, changed, deleted = 0 }: Import['counts']) => added + changed + deleted

const abortOnInterrupt = () => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once('SIGINT', stop)
  return { signal: controller.signal, [Symbol.dispose]: () => void process.off('SIGINT', stop) }
}

/** A bar that counts the rows read, or, while they are applied, the rows written. */
const importBar = (plural: string) => {
  let bar: ReturnType<typeof progressBar> | undefined
  let drawnRows = 0
  return {
    show({ state, counts }: Import) {
      const planned = plannedIn(counts)
      const read = planned + counts.unchanged + counts.refused
      const [done, total] = state === 'applying' ? [counts.applied, planned] : [read, counts.rows]
      if (state === 'undoing' || done === 0) return
      bar ??= progressBar(state === 'applying' ? `import ${plural}` : `read ${plural}`, total)
      bar.advance(done - drawnRows)
      drawnRows = done
      if (!busyStates.includes(state)) bar.end()
    },
    [Symbol.dispose]: () => bar?.[Symbol.dispose](),
  }
}
