import { statSync } from 'node:fs'

/** SQLITE_READONLY_DBMOVED: in WAL mode, SQLite does not check this itself. */
const moved = 1032

const checkIntervalMs = 1_000

export type Location = ReturnType<typeof locationOf>

/**
 * Checks that the paths still lead to the open files: what is written to a replaced database or WAL is lost at the end. If the
 * lock file was replaced, another process could lock the new one and write as well.
 */
export const locationOf = (...paths: readonly string[]) => {
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

    /** Checks at most once a second, so that it costs writes nothing; after a failure, every time. */
    checkOccasionally() {
      if (performance.now() - checkedAtMs >= checkIntervalMs) check()
    },
  }
}

/** Identifies the file itself, whatever its path. */
const identityOf = (path: string) => {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
