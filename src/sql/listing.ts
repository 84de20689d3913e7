import type { Order, Page, PageRequest, Slice, SliceRequest, Sortable } from '#core/page.ts'
import type { Database, Row, RowMapper } from './database.ts'
import { empty, join, type Query, raw, sql } from './query.ts'
import type { SortedBy } from './table.ts'

interface ListDefinition<T, F> {
  readonly toItem: RowMapper<T>
  readonly select: (filter: F) => Selection
  readonly sortable: Readonly<Record<string, SortedBy>>
  /** The property of an item that has the value of `Selection.position`. */
  readonly position: keyof T & string
}

export interface Selection {
  /** `SELECT` and the columns. */
  readonly select: Query
  readonly from: Query
  /** `SELECT count(*) AS total`, with only those joins that `where` needs. */
  readonly count: Query
  /** Set if another query counts the rows faster. */
  readonly fasterCount?: Query
  /** A condition, or empty. */
  readonly where: Query
  /** The column that orders rows by creation. It breaks ties of other orders. */
  readonly position: string
  /** Set if one index covers the whole condition. Then positions are read from the index, and only the rows of the page are joined. */
  readonly indexFirst?: { readonly from: Query; readonly join: Query }
  /** True if an index yields a page in the order of `position` without visiting other rows. */
  readonly isIndexed: boolean
}

export interface Lists<T, F = object> {
  page(filter: F, request: PageRequest): Promise<Page<T>>
  slice(filter: F, request: SliceRequest): Promise<Slice<T>>
  stream(filter: F): AsyncIterable<readonly T[]>
}

/** A page whose rows are all among this many at the beginning of an index is read on this thread. */
const maxRowsOnThisThread = 1000

export const listing = <T extends object, F = object>(
  db: Database,
  definition: ListDefinition<T, F>,
): Lists<T, F> => {
  const { toItem, select } = definition
  const toItemWithTotal: RowMapper<ItemWithTotal<T>> = (row) => ({ item: toItem(row), total: toTotal(row) })

  /** Reads the rows and their total by one query, so from one state. If the page is empty, reads the total by a second query. */
  const scanWithTotal = async (selection: Selection, window: PageWindow) => {
    const countQuery = countOf(selection)
    const select = sql`${selection.select}, (${countQuery}) AS total`
    const found = await db.scan(pageQuery({ ...selection, select }, window), toItemWithTotal)
    const [first] = found
    const totalElements = first?.total ?? (window.offset === 0 ? 0 : await runCount(countQuery))
    return { content: found.map(({ item }) => item), totalElements }
  }

  const runCount = async (query: Query) => (await db.scan(query, toTotal))[0] ?? 0

  return {
    async page(filter, request) {
      const selection = select(filter)
      const { number, size, sort } = request
      const offset = number * size
      const window = { sortColumns: sortColumnsOf(definition, selection, sort), size, offset }
      const isOnThisThread = selection.isIndexed && sort.length === 0 && offset + size <= maxRowsOnThisThread
      if (!isOnThisThread) return { ...(await scanWithTotal(selection, window)), request }
      const [content, totalElements] = await Promise.all([
        db.read(pageQuery(selection, window), toItem),
        runCount(countOf(selection)),
      ])
      return { content, totalElements, request }
    },

    async slice(filter, { after, size, sort }) {
      const selection = select(filter)
      const sortColumns = sortColumnsOf(definition, selection, sort)
      const where = after ? and([selection.where, rowsAfter(sortColumns, after)]) : selection.where
      const query = pageQuery({ ...selection, where }, { sortColumns, size: size + 1, offset: 0 })
      const isOnThisThread = selection.isIndexed && sort.length === 0
      const rows = isOnThisThread ? await db.read(query, toItem) : await db.scan(query, toItem)
      const content = rows.slice(0, size)
      const last = content.at(-1)
      return { content, next: rows.length > size && last ? sortValuesOf(definition, sort, last) : undefined }
    },

    stream(filter) {
      const selection = select(filter)
      return db.stream(orderedRows(selection, sortColumnsOf(definition, selection, [])), toItem)
    },
  }
}

interface ItemWithTotal<T> {
  readonly item: T
  /** The total, repeated in each row. */
  readonly total: number
}

interface PageWindow {
  readonly sortColumns: readonly SortColumn[]
  readonly size: number
  readonly offset: number
}

const orderedRows = ({ select, from, where }: Selection, sortColumns: readonly SortColumn[]) =>
  sql`${select} FROM ${from}${whereClause(where)}${orderClause(sortColumns)}`

const pageQuery = (selection: Selection, window: PageWindow) => {
  const { sortColumns, size, offset } = window
  if (selection.indexFirst && sortColumns.length === 1)
    return windowFromIndex(selection, selection.indexFirst, window)
  return sql`${orderedRows(selection, sortColumns)} LIMIT ${size} OFFSET ${offset}`
}

/** The unary plus keeps the engine from walking the rows by position, because many rows may come before the first match. */
const windowFromIndex = (
  { select, where, position }: Selection,
  { from, join }: NonNullable<Selection['indexFirst']>,
  { size, offset }: PageWindow,
) => {
  const column = raw(position)
  return sql`${select} FROM (
    SELECT ${column} AS position FROM ${from}${whereClause(where)} ORDER BY +${column} LIMIT ${size} OFFSET ${offset}
  ) AS found ${join} ORDER BY found.position`
}

const countOf = ({ count, where, fasterCount }: Selection) =>
  fasterCount ?? sql`${count}${whereClause(where)}`

const toTotal = (row: Row) => Number(row.total)

export const and = (conditions: readonly Query[]): Query => {
  const present = conditions.filter((condition) => condition !== empty)
  return present.length === 0 ? empty : join(present, ' AND ')
}

const whereClause = (where: Query) => (where === empty ? empty : sql` WHERE ${where}`)

interface SortColumn {
  readonly column: string
  readonly isDescending: boolean
}

const sortColumnsOf = (
  { sortable }: Pick<ListDefinition<never, never>, 'sortable'>,
  { position }: Selection,
  sort: readonly Order[],
): SortColumn[] => [
  ...sort.map(({ property, direction }) => ({
    column: columnOf(sortable, property),
    isDescending: direction === 'desc',
  })),
  { column: position, isDescending: false },
]

const columnOf = (sortable: Readonly<Record<string, SortedBy>>, property: string) => {
  const sorted = sortable[property]
  if (sorted === undefined) throw new Error(`a list cannot be sorted by ${property}`)
  return sorted.column
}

const orderClause = (sortColumns: readonly SortColumn[]) =>
  raw(
    ` ORDER BY ${sortColumns.map(({ column, isDescending }) => `${column}${isDescending ? ' DESC' : ''}`).join(', ')}`,
  )

const sortValuesOf = (
  { position, sortable }: Pick<ListDefinition<never, never>, 'sortable'> & { readonly position: string },
  sort: readonly Order[],
  item: object,
): readonly Sortable[] =>
  [...sort.map(({ property }) => property), position].map(
    (property) => (item as Readonly<Record<string, Sortable>>)[property] ?? sortable[property]?.nullAs ?? '',
  )

/** Selects the rows after these sort values: the first differing column decides. `notBefore` lets an index scan start at its value. */
const rowsAfter = (sortColumns: readonly SortColumn[], after: readonly Sortable[]): Query => {
  const alternatives = sortColumns.map((sortColumn, index) =>
    join(
      [
        ...sortColumns.slice(0, index).map((equal, at) => equals(equal, after[at])),
        comesAfter(sortColumn, after[index]),
      ],
      ' AND ',
    ),
  )
  const [first] = sortColumns
  if (!first || sortColumns.length === 1) return join(alternatives, '')
  return sql`${notBefore(first, after[0])} AND (${join(alternatives, ' OR ')})`
}

const equals = ({ column }: SortColumn, value: Sortable = null) => sql`${raw(column)} = ${value}`

const comesAfter = ({ column, isDescending }: SortColumn, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<' : '>')} ${value}`

const notBefore = ({ column, isDescending }: SortColumn, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<=' : '>=')} ${value}`
