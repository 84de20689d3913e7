import { statSync } from 'node:fs'

/** SQLITE_READONLY_DBMOVED. In WAL mode, SQLite itself does not check for this. */
const moved = 1032

const checkIntervalMs = 1_000

export type WatchedFiles = ReturnType<typeof watchedFiles>

/**
 * Checks that the paths still name the open files. If the database or WAL was replaced, writes would go to the old file and be
 * lost with it. If the lock file was replaced, another process could lock the new lock file and write to the database, too.
 */
export const watchedFiles = (...paths: readonly string[]) => {
  const watched = paths.map((path) => ({ path, opened: identityOf(path) }))
  let checkedAtMs = performance.now()

  const check = () => {
    checkedAtMs = Number.NEGATIVE_INFINITY
    for (const { path, opened } of watched)
      if (identityOf(path) !== opened)
        throw Object.assign(new Error(`${path} was deleted or replaced while it was open`), {
          errcode: moved,
        })
    checkedAtMs = performance.now()
  }

  return {
    check,

    /** Checks at most once a second, so that writes stay fast. After a failure, checks every time. */
    checkOccasionally() {
      if (performance.now() - checkedAtMs >= checkIntervalMs) check()
    },
  }
}

/** The identity of the file at this path. It stays when the file is renamed. */
const identityOf = (path: string) => {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
