/** Writes like the engine, without it: the arguments are the file, its synchronous mode and the number of commits. */
import { writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const [file = '', synchronous = 'FULL', commits = '100'] = process.argv.slice(2)
const db = new DatabaseSync(file)
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA wal_autocheckpoint = 100`)
db.exec('CREATE TABLE todo (todo_id TEXT PRIMARY KEY, todo_title TEXT NOT NULL)')
const put = db.prepare(
  'INSERT INTO todo VALUES (?, ?) ON CONFLICT DO UPDATE SET todo_title = excluded.todo_title',
)

for (let n = 1; n <= Number(commits); n++) {
  const id = n % 3 === 0 ? `hot-${n % 7}` : `k-${n}`
  db.exec('BEGIN IMMEDIATE')
  put.run(id, String(n))
  db.exec('COMMIT')
  writeSync(1, `${JSON.stringify({ todoId: id, todoTitle: String(n) })}\n`)
}
