import type { Database, Row } from './database.ts'
import { type Query, raw } from './query.ts'

/** A table, or an object of a table such as an index, as the database describes it. */
export interface CatalogEntry {
  readonly type: string
  readonly name: string
  /** The table of this object; for a table, its own name. */
  readonly table: string
  readonly definition: string
}

/** Reads all tables, columns, indexes, constraints, triggers, rules and functions of the current schema. */
export const catalogs: Readonly<Record<Database['engine'], Query>> = {
  // Leaves out the shadow tables in which SQLite stores a full-text index.
  sqlite: raw(`
    SELECT type, name, tbl_name AS "table", sql AS definition FROM sqlite_schema
    WHERE sql IS NOT NULL AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')`),
  postgres: raw(`
    WITH own AS (SELECT oid, relname FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p'))
    SELECT 'column' AS type, concat(relname, '.', attname) AS name, relname AS "table",
      concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, attcollation::regcollation,
        pg_get_expr(adbin, adrelid)) AS definition
    FROM own JOIN pg_attribute ON attrelid = own.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL SELECT 'index', indexname, tablename, replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL SELECT 'constraint', pg_get_constraintdef(pg_constraint.oid), relname, ''
    FROM own JOIN pg_constraint ON conrelid = own.oid WHERE contype <> 'n'
    UNION ALL SELECT 'trigger', tgname, relname, concat(tgenabled, replace(pg_get_triggerdef(pg_trigger.oid), current_schema() || '.', ''))
    FROM own JOIN pg_trigger ON tgrelid = own.oid WHERE NOT tgisinternal
    UNION ALL SELECT 'rule', rulename, tablename, definition FROM pg_rules WHERE schemaname = current_schema()
    UNION ALL SELECT 'function', proname, '', concat(proconfig, prosrc) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace`),
}

export const toCatalogEntry = (row: Row): CatalogEntry => ({
  type: String(row.type),
  name: String(row.name),
  table: String(row.table),
  definition: String(row.definition),
})
