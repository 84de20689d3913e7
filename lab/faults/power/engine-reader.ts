/** Reads all titles through the engine and prints them: the argument is the file. */
import { writeSync } from 'node:fs'
import { openDatabase } from '../../../src/sql/open.ts'
import { raw } from '../../../src/sql/query.ts'

const [file = ''] = process.argv.slice(2)
const db = await openDatabase(`sqlite:${file}`)
const titles = await db.read(raw('SELECT todo_title FROM todo'), (row) => String(row.todo_title))
for (const title of titles) writeSync(1, `${title}\n`)
await db.close()
