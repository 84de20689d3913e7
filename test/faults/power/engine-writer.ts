/** Writes concurrently through the engine: the arguments are the file and the number of writes. */
import { writeSync } from 'node:fs'
import { openDatabase } from '#sql/open.ts'
import { key, sql } from '#sql/query.ts'

const [file = '', writes = '100'] = process.argv.slice(2)
const writers = 6
// Few statements between checkpoints, so that even a short trace contains many of them.
const db = await openDatabase(`sqlite:${file}`, { limits: { checkpointStatements: 60 } })
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
        ON CONFLICT DO UPDATE SET todo_title = max(CAST(todo_title AS INTEGER), ${n})`),
    )
    writeSync(1, `${JSON.stringify({ todoId: id, todoTitle: String(n) })}\n`)
  }
}
await Promise.all(Array.from({ length: writers }, put))
await db.close()
