import { codePoints, isShowable, isXmlText } from '#core/formats.ts'
import { isId } from '#core/id.ts'
import type { Database, Row } from '#sql/database.ts'
import { sql } from '#sql/query.ts'
import { type Finding, isVersion, mismatchedRows } from '#sql/records.ts'
import { todoTable } from './records.ts'
import { maxTitleLength } from './schema.ts'

/** Todos whose checksum is wrong, or whose values the service would not have written. */
export async function* verifyTodos(db: Database): AsyncGenerator<Finding> {
  const all = sql`SELECT todo_id, todo_title, created_at, version FROM todo ORDER BY todo_id`
  for await (const batch of db.stream(all, findingsIn)) for (const findings of batch) yield* findings
  yield* mismatchedRows(db, todoTable)
}

const findingsIn = (row: Row): readonly Finding[] => {
  const id = String(row.todo_id)
  const title = String(row.todo_title)
  const faults: string[] = []
  if (!isId(id)) faults.push('its id is not valid')
  if (title === '' || codePoints(title) > maxTitleLength || !isXmlText(title))
    faults.push('its title is not valid')
  if (!isShowable(Number(row.created_at))) faults.push('its creation time is not valid')
  if (!isVersion(Number(row.version))) faults.push('its version is not valid')
  return faults.map((says) => ({ what: 'todo', id, says }))
}
