import type { Row } from './database.ts'
import type { Engine } from './engine.ts'
import { migrationTable, throwUnusable, unfinishedMoveRow } from './migrate.ts'
import { sql } from './query.ts'

/** The row of the migration table that records an unfinished move. Its column `checksum` holds the source database. */
export const unfinishedMove = {
  /** The source database, or undefined if no move has begun. */
  readSource: (target: Engine): Promise<string | undefined> =>
    target
      .alter(async (tx) => {
        await tx.exec(migrationTable)
        const [source] = await tx.read(
          sql`SELECT checksum FROM migration WHERE ${isUnfinishedMove}`,
          toSource,
        )
        return source
      })
      .catch(throwUnusable),

  record: (target: Engine, source: string) =>
    target.run(sql`INSERT INTO migration (room, name, checksum) VALUES (${owner}, ${name}, ${source})`),

  clear: (target: Engine) => target.run(sql`DELETE FROM migration WHERE ${isUnfinishedMove}`),
}

const { owner, name } = unfinishedMoveRow

const isUnfinishedMove = sql`room = ${owner} AND name = ${name}`

const toSource = (row: Row) => String(row.checksum)
