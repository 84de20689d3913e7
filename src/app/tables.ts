import { type CatalogEntry, catalogs, toCatalogEntry } from '#sql/catalog.ts'
import type { Engine } from '#sql/engine.ts'
import { catalogAnew } from '#sql/migrate.ts'
import type { Finding } from '#sql/records.ts'
import { openNamed } from './database.ts'
import { ownMigrations } from './migrations.ts'

/** Compares the tables, with their indexes, triggers and the like, with those that this program's migrations make. */
export async function* verifyTables(db: Engine): AsyncGenerator<Finding> {
  const own = byName(await ownCatalog(db))
  const there = byName(await db.scan(catalogs[db.engine], toCatalogEntry))
  const ownTables = new Set([...own.values()].map(({ table }) => table))
  for (const [name, entry] of own) {
    const definition = there.get(name)?.definition
    if (definition === undefined) yield finding(entry, 'it is missing')
    else if (definition !== entry.definition) yield finding(entry, 'it is not as this program makes it')
  }
  // The database may hold tables of other programs.
  for (const [name, entry] of there)
    if (!own.has(name) && ownTables.has(entry.table)) yield finding(entry, 'this program does not make it')
}

const ownCatalog = async (db: Engine) => {
  const migrations = await ownMigrations(db)
  if (db.engine === 'postgres') return catalogAnew(db, migrations)
  const empty = await openNamed('sqlite::memory:')
  return catalogAnew(empty, migrations).finally(empty.close)
}

const byName = (entries: readonly CatalogEntry[]) =>
  new Map(entries.map((entry) => [`${entry.kind} ${entry.table} ${entry.name}`, entry]))

const finding = ({ kind, name }: CatalogEntry, says: string): Finding => ({ what: kind, id: name, says })
