import { statSync } from 'node:fs'

/** SQLITE_READONLY_DBMOVED, which SQLite does not check itself in WAL mode. */
const moved = 1032

const checkIntervalMs = 1_000

export type WatchedFiles = ReturnType<typeof watchedFiles>

/**
 * Checks that the paths still name the open files. If the database or WAL was replaced, writes would go to the old file and be
 * lost with it. If the lock file was replaced, another process could lock the new one and write as well.
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

    /** Checks at most once a second, so that writes stay fast, but every time after a failure. */
    checkOccasionally() {
      if (performance.now() - checkedAtMs >= checkIntervalMs) check()
    },
  }
}

/** Identifies a file independently of its path. */
const identityOf = (path: string) => {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
