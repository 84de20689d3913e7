import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freshFolder } from '#test/fresh-folder.ts'
import { readMigrations } from './migration-files.ts'

const portable = `CREATE TABLE loan (
  loan_id uuid PRIMARY KEY,
  title text COLLATE "C" NOT NULL,
  note text,
  is_late boolean NOT NULL,
  days integer,
  created_at bigint NOT NULL
);

CREATE TABLE scan (
  bytes bytea NOT NULL
) STRICT;
`

const onSqlite = `CREATE TABLE loan (
  loan_id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  note TEXT,
  is_late INTEGER NOT NULL,
  days INTEGER,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE scan (
  bytes BLOB NOT NULL
) STRICT;
`

test('a portable migration gets the types of the engine; on SQLite a table becomes STRICT, WITHOUT ROWID unless it already ends with STRICT', async () => {
  const folder = pathToFileURL(`${freshFolder()}/`)
  await writeFile(new URL('001-loan.portable.sql', folder), portable)
  const read = (engine: 'sqlite' | 'postgres') => readMigrations(folder, 'loan', engine)
  assert.deepEqual(await read('postgres'), [
    { owner: 'loan', name: '001-loan', text: portable.replace(' STRICT', '') },
  ])
  assert.deepEqual(await read('sqlite'), [{ owner: 'loan', name: '001-loan', text: onSqlite }])
})
