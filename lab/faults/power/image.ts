import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The highest number acknowledged for each record. */
export type AcknowledgedNumbers = ReadonlyMap<string, number>

export interface Judgement {
  readonly lost: readonly string[]
  /** What is wrong with the file, if anything. */
  readonly corrupt: string | undefined
}

/** Writes the files as the power loss left them, opens them, and looks for what was acknowledged. */
export const judge = (
  files: ReadonlyMap<string, Buffer>,
  acknowledged: AcknowledgedNumbers,
  directory: string,
) => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const [path, bytes] of files) writeFileSync(join(directory, basename(path)), bytes)
  const main = [...files.keys()].find((path) => path.endsWith('.db'))
  if (!main) return { lost: [...acknowledged.keys()], corrupt: undefined }
  return open(join(directory, basename(main)), acknowledged)
}

const open = (file: string, acknowledged: AcknowledgedNumbers): Judgement => {
  try {
    using db = new DatabaseSync(file)
    const [{ integrity_check: word } = { integrity_check: 'nothing' }] = db
      .prepare('PRAGMA integrity_check')
      .all() as { integrity_check: string }[]
    return { lost: lost(db, acknowledged), corrupt: word === 'ok' ? undefined : word }
  } catch (error) {
    return { lost: [], corrupt: String(error) }
  }
}

const lost = (db: DatabaseSync, acknowledged: AcknowledgedNumbers) => {
  if (acknowledged.size === 0) return []
  if (!hasTable(db)) return [...acknowledged.keys()]
  const stored = new Map(
    (
      db.prepare('SELECT todo_id AS id, todo_title AS title FROM todo').all() as {
        id: string
        title: string
      }[]
    ).map(({ id, title }) => [id, Number(title)]),
  )
  return [...acknowledged].filter(([id, number]) => !((stored.get(id) ?? -1) >= number)).map(([id]) => id)
}

const hasTable = (db: DatabaseSync) =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'todo'").get() !== undefined
