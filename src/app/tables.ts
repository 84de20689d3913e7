import type { Resource } from '#resources/resource.ts'
import { type CatalogEntry, catalogs, toCatalogEntry } from '#sql/catalog.ts'
import type { Engine } from '#sql/engine.ts'
import { freshCatalog } from '#sql/migrate.ts'
import type { Finding } from '#sql/records.ts'
import { openConfigured } from './database.ts'
import { ownMigrations, tablesOfRooms } from './migrations.ts'

/**
 * Compares the tables, indexes and triggers with those that this program's migrations and declarations make. The text of
 * a declared table that may have got a column is left out, because SQLite rewrites it. Every start compares its columns.
 */
export async function* verifyTables(db: Engine, rooms: readonly Resource[]): AsyncGenerator<Finding> {
  const declared = tablesOfRooms(rooms)
  const own = byName(await freshCatalog(db, await ownMigrations(db, rooms), { declared, openEmpty }))
  const mayHaveGrown = new Set(
    declared.filter(({ managedFields }) => managedFields?.length !== 0).map(({ table }) => table.name),
  )
  const there = byName(await db.scan(catalogs[db.engine], toCatalogEntry))
  const ownTables = new Set([...own.values()].map(({ table }) => table))
  for (const [name, entry] of own) {
    const definition = there.get(name)?.definition
    const isCompared = entry.type !== 'table' || !mayHaveGrown.has(entry.name)
    if (definition === undefined) yield finding(entry, 'it is missing')
    else if (isCompared && definition !== entry.definition)
      yield finding(entry, 'it is not as this program makes it')
  }
  // The database may hold tables of other programs.
  for (const [name, entry] of there)
    if (!own.has(name) && ownTables.has(entry.table)) yield finding(entry, 'this program does not make it')
}

const openEmpty = () => openConfigured('sqlite::memory:')

const byName = (entries: readonly CatalogEntry[]) =>
  new Map(entries.map((entry) => [`${entry.type} ${entry.table} ${entry.name}`, entry]))

const finding = ({ type: what, name }: CatalogEntry, says: string): Finding => ({ what, id: name, says })
