import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freshFolder } from '../fresh-folder.ts'
import { rollcall } from './warm.ts'

/** A text that has each record on a line. */
export const lines = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** The records of a text that has one on each line. */
export const recordsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Runs SQL on a SQLite file, to make changes that no command makes. */
export const alter = (path: string, statement: string) => {
  using database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  database.exec(statement)
}

/** A fresh folder, with commands that run in it and databases that are stored in it. */
export const openFolder = () => {
  const folder = freshFolder()
  const url = (name: string) => `sqlite:${join(folder, name)}`
  const run = (args: readonly string[], DATABASE_URL: string) =>
    rollcall(args, { cwd: folder, environment: { DATABASE_URL } })
  const good = async (args: readonly string[], databaseUrl: string) => {
    const ended = await run(args, databaseUrl)
    assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.err} ${ended.out}`)
    return ended.out
  }
  const write = (name: string, content: string) => writeFile(join(folder, name), content)
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  return { folder, url, run, good, write, read }
}
