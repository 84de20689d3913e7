import type { Row } from './database.ts'
import type { Engine } from './engine.ts'
import { migrationTable, throwUnusable, unfinishedMove } from './migrate.ts'
import { sql } from './query.ts'

/** A row that marks the target of an unfinished move and names the source database. */
export const moveMark = {
  /** The source database; undefined if no move has begun. */
  read: (target: Engine): Promise<string | undefined> =>
    target
      .alter(async (tx) => {
        await tx.exec(migrationTable)
        const [source] = await tx.read(sql`SELECT checksum FROM migration WHERE ${isMark}`, toSource)
        return source
      })
      .catch(throwUnusable),

  set: (target: Engine, source: string) =>
    target.run(sql`INSERT INTO migration (room, name, checksum) VALUES (${room}, ${name}, ${source})`),

  clear: (target: Engine) => target.run(sql`DELETE FROM migration WHERE ${isMark}`),
}

const { room, name } = unfinishedMove

const isMark = sql`room = ${room} AND name = ${name}`

const toSource = (row: Row) => String(row.checksum)
