/** Writes and reads concurrently through the engine: the arguments are the file and the number of writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../../../src/sql/database.ts'
import { openDatabase } from '../../../src/sql/open.ts'
import { key, sql } from '../../../src/sql/query.ts'

const [file = '', writes = '100'] = process.argv.slice(2)
const writers = 6
// Few rows between checkpoints, so that even a short trace contains many of them.
const db = await openDatabase(`sqlite:${file}`, { limits: { checkpointRows: 60 } })
await db.alter((tx) =>
  tx.exec('CREATE TABLE IF NOT EXISTS todo (todo_id TEXT PRIMARY KEY, todo_title TEXT NOT NULL)'),
)

let next = 1
const put = async () => {
  while (next <= Number(writes)) {
    const n = next++
    const id = n % 3 === 0 ? `hot-${n % 7}` : `k-${n}`
    await db.write((tx) =>
      tx.run(sql`INSERT INTO todo VALUES (${key(id)}, ${String(n)})
        ON CONFLICT DO UPDATE SET todo_title = max(CAST(todo_title AS INTEGER), CAST(${n} AS INTEGER))`),
    )
    process.stdout.write(`${JSON.stringify({ todoId: id, todoTitle: String(n) })}\n`)
  }
}
const say = (rows: readonly Row[]) => {
  for (const { todo_id: todoId, todo_title: todoTitle } of rows)
    process.stdout.write(`${JSON.stringify({ todoId, todoTitle })}\n`)
}

/** Reads by every kind of query until all is written. Values that were read are output too: they must survive. */
const look = async (read: () => Promise<readonly Row[]>) => {
  while (next <= Number(writes)) {
    say(await read())
    await sleep(1)
  }
}
const asIs = (row: Row) => row
let asked = 0
/** Each time another query, which is not remembered. */
const latest = () =>
  sql`SELECT * FROM todo WHERE ${++asked} > 0 ORDER BY CAST(todo_title AS INTEGER) DESC LIMIT 3`
const ways: readonly (() => Promise<readonly Row[]>)[] = [
  async () => [(await db.find(sql`SELECT * FROM todo WHERE todo_id = ${key('hot-3')}`, asIs)) ?? []].flat(),
  () => db.read(latest(), asIs),
  () => db.scan(latest(), asIs),
  async () => (await Array.fromAsync(db.stream(latest(), asIs))).flat(),
]
await Promise.all([...Array.from({ length: writers }, put), ...ways.map(look)])
await db.close()
