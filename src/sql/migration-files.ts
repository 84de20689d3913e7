import { readdir, readFile } from 'node:fs/promises'
import type { Database } from './database.ts'
import type { Migration } from './migrate.ts'

/**
 * Reads a room's migrations: `NNN-name.sql` for every engine, `NNN-name.sqlite.sql` for one, `NNN-name.portable.sql` with the types of
 * PostgreSQL, from which those of SQLite follow. There, only a table that ends with STRICT has a rowid. The folder URL ends with a slash.
 */
export const readMigrations = async (
  folder: URL,
  owner: string,
  engine: Database['engine'],
): Promise<Migration[]> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  const migrations: Migration[] = []
  for (const file of files) {
    const [, name = '', kind = engine] = /^(.+?)(?:\.(sqlite|postgres|portable))?\.sql$/.exec(file) ?? []
    if (kind !== engine && kind !== 'portable') continue
    const text = await readFile(new URL(file, folder), 'utf8')
    migrations.push({ owner, name, text: kind === 'portable' ? textFor[engine](text) : text })
  }
  return migrations
}

/** Never changes: databases have the checksums of these texts. */
const textFor = {
  postgres: (text: string) => text.replaceAll('\n) STRICT;', '\n);'),
  sqlite: (text: string) =>
    text
      .replace(/\btext COLLATE "C"|\b(?:text|uuid)\b/g, 'TEXT')
      .replace(/\b(?:bigint|boolean|integer)\b/g, 'INTEGER')
      .replaceAll(' bytea ', ' BLOB ')
      .replaceAll('\n);', '\n) STRICT, WITHOUT ROWID;'),
}
