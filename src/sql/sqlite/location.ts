import { statSync } from 'node:fs'

/** SQLITE_READONLY_DBMOVED: with a log, SQLite does not look itself. */
const moved = 1032

const lookEveryMs = 1_000

export type Location = ReturnType<typeof locationOf>

/**
 * Looks whether the path is still that of the file that is open: what is written to another one is lost at the end. So it
 * does with the lock: another process would take a new one, and write too.
 */
export const locationOf = (path: string, lockPath: string) => {
  const watched = [path, lockPath].map((path) => ({ path, opened: nameOf(path) }))
  let lookedAtMs = performance.now()

  const look = () => {
    lookedAtMs = Number.NEGATIVE_INFINITY
    for (const { path, opened } of watched)
      if (nameOf(path) !== opened)
        throw Object.assign(new Error(`${path} was deleted or replaced while it was open`), {
          errcode: moved,
        })
    lookedAtMs = performance.now()
  }

  return {
    look,

    /** So seldom that a write costs nothing by it, but each time after one that failed. */
    lookNowAndThen() {
      if (performance.now() - lookedAtMs >= lookEveryMs) look()
    },
  }
}

/** What the system calls the file itself, wherever its path leads. */
const nameOf = (path: string) => {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
