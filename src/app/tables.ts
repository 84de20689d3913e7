import type { Resource } from '#resources/resource.ts'
import { type CatalogEntry, catalogs, toCatalogEntry } from '#sql/catalog.ts'
import type { Engine } from '#sql/engine.ts'
import { freshCatalog } from '#sql/migrate.ts'
import type { Finding } from '#sql/records.ts'
import { openConfiguredDatabase } from './database.ts'
import { declaredTablesOf, migrationsFor } from './migrations.ts'

/**
 * Compares the tables, indexes and triggers with those that the migrations and declarations of this program create. The definition
 * of a declared table that may have gained a column is not compared, because SQLite rewrites it. Every start compares its columns.
 */
export async function* verifyTables(db: Engine, resources: readonly Resource[]): AsyncGenerator<Finding> {
  const declared = declaredTablesOf(resources)
  const expected = byName(
    await freshCatalog(db, await migrationsFor(db, resources), { declared, openEmpty: openEmptyDatabase }),
  )
  const extendableTables = new Set(
    declared.filter(({ managedFields }) => managedFields?.length !== 0).map(({ table }) => table.name),
  )
  const actual = byName(await db.scan(catalogs[db.engine], toCatalogEntry))
  const expectedTables = new Set([...expected.values()].map(({ table }) => table))
  for (const [name, entry] of expected) {
    const definition = actual.get(name)?.definition
    const isCompared = entry.type !== 'table' || !extendableTables.has(entry.name)
    if (definition === undefined) yield finding(entry, 'missing')
    else if (isCompared && definition !== entry.definition)
      yield finding(entry, 'the definition differs from that of this program')
  }
  // The database may also contain tables of other programs, which are not reported.
  for (const [name, entry] of actual)
    if (!expected.has(name) && expectedTables.has(entry.table))
      yield finding(entry, 'this program does not create it')
}

const openEmptyDatabase = () => openConfiguredDatabase('sqlite::memory:')

const byName = (entries: readonly CatalogEntry[]) =>
  new Map(entries.map((entry) => [`${entry.type} ${entry.table} ${entry.name}`, entry]))

const finding = ({ type: what, name }: CatalogEntry, says: string): Finding => ({ what, id: name, says })
