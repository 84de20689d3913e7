import { readdir, readFile } from 'node:fs/promises'
import type { Database } from './database.ts'
import type { Migration } from './migrate.ts'

/**
 * Reads the migrations in a folder: `NNN-name.sql` for every engine, `NNN-name.sqlite.sql` for one engine. `NNN-name.portable.sql` has
 * the types of PostgreSQL, which are replaced by those of SQLite; only its tables that end with STRICT get a rowid on SQLite. The URL
 * of the folder ends with a slash.
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
    migrations.push({ owner, name, text: kind === 'portable' ? portableText[engine](text) : text })
  }
  return migrations
}

/** The text of a portable migration. Never change this, because databases contain checksums of these texts. */
const portableText = {
  postgres: (text: string) => text.replaceAll('\n) STRICT;', '\n);'),
  sqlite: (text: string) =>
    text
      .replace(/\btext COLLATE "C"|\b(?:text|uuid)\b/g, 'TEXT')
      .replace(/\b(?:bigint|boolean|integer)\b/g, 'INTEGER')
      .replaceAll(' bytea ', ' BLOB ')
      .replaceAll('\n);', '\n) STRICT, WITHOUT ROWID;'),
}
