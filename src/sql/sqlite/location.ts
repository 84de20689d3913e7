import { statSync } from 'node:fs'

/** SQLITE_READONLY_DBMOVED: with a log, SQLite does not look itself. */
const moved = 1032

const lookEveryMs = 1_000

export type Location = ReturnType<typeof locationOf>

/**
 * Looks whether the path still leads to the open file: what is written to a file that was replaced is lost at the end. The
 * same for the lock: another process would lock a new one, and write too.
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

    /** So seldom that it costs writes nothing; after a failure each time. */
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
