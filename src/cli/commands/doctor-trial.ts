import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { lock, lockName, requireNothingLeft } from '#sql/sqlite/file.ts'
import { orUnusable } from '#sql/sqlite/file-faults.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { openNamed } from '#src/app/database.ts'
import { migrateAll } from '#src/app/migrations.ts'

/** Throws if a start could not create this database. Creates one next to it, and leaves nothing behind. */
export const tryCreating = async (path: string) => {
  requireNothingLeft(path)
  if (existsSync(lockName(path))) orUnusable(path, () => lock(path)())
  const trial = `${path}.trial`
  const folders = missingFolders(dirname(resolve(path)))
  try {
    const db = await openNamed(`sqlite:${trial}`)
    await migrateAll(db).finally(db.close)
  } catch (error) {
    throw namingPath(error, trial, path)
  } finally {
    for (const end of ['', '-wal', '-shm', '.lock', '.new', '.new-wal', '.new-shm'])
      quietly(() => rmSync(trial + end, { force: true }))
    for (const folder of folders) quietly(() => rmdirSync(folder))
  }
}

/** The deepest first. */
const missingFolders = (folder: string): readonly string[] =>
  existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))]

const quietly = (remove: () => void) => {
  try {
    remove()
  } catch {
    // It was never made, or somebody else uses it by now.
  }
}

/** A start would name the database. */
const namingPath = (error: unknown, trial: string, path: string) => {
  if (!(error instanceof DataUnusable)) return error
  return new DataUnusable(error.reason, error.message.replaceAll(basename(trial), basename(path)), error)
}
