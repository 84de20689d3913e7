import type { Order, Page, PageRequest, Slice, SliceRequest, Sortable } from '#core/page.ts'
import type { Database, Row, RowMapper } from './database.ts'
import { empty, join, type Query, raw, sql } from './query.ts'
import type { SortedBy } from './table.ts'

/** How to make items from rows, select them by a filter, and sort them. */
interface Listed<T, F> {
  readonly make: RowMapper<T>
  readonly select: (filter: F) => Selection
  readonly sortable: Readonly<Record<string, SortedBy>>
  /** The property that holds the value of the position column. */
  readonly position: keyof T & string
}

export interface Selection {
  /** `SELECT` with its columns. */
  readonly select: Query
  readonly from: Query
  /** Counts the same rows as `total`, without joins that the count does not need. */
  readonly count: Query
  /** Set if another query counts them faster. */
  readonly total?: Query
  /** A condition, or empty. */
  readonly where: Query
  /** The column that orders rows by creation, and breaks ties. */
  readonly position: string
  /** Set if one index covers the whole condition: positions are read from it, and only the rows of the page are joined. */
  readonly narrow?: { readonly from: Query; readonly join: Query }
  /** Whether an index yields a page in this order without visiting other rows. */
  readonly isIndexed: boolean
}

export interface Lists<T, F = object> {
  page(filter: F, request: PageRequest): Promise<Page<T>>
  slice(filter: F, request: SliceRequest): Promise<Slice<T>>
  stream(filter: F): AsyncIterable<readonly T[]>
}

/** A page that ends within this many index rows is read on this thread. */
const nearRows = 1000

export const listing = <T extends object, F = object>(db: Database, listed: Listed<T, F>): Lists<T, F> => {
  const { make, select } = listed
  const counted: RowMapper<Counted<T>> = (row) => ({ item: make(row), total: total(row) })

  /** Reads the rows and their total in one query, so from one state. An empty page needs a second query for the total. */
  const scanCounted = async (selection: Selection, window: Window) => {
    const counting = countOf(selection)
    const select = sql`${selection.select}, (${counting}) AS total`
    const found = await db.scan(windowOf({ ...selection, select }, window), counted)
    const [first] = found
    const totalElements = first?.total ?? (window.offset === 0 ? 0 : await countedBy(counting))
    return { content: found.map(({ item }) => item), totalElements }
  }

  const countedBy = async (counting: Query) => (await db.scan(counting, total))[0] ?? 0

  return {
    async page(filter, request) {
      const selection = select(filter)
      const { number, size, sort } = request
      const offset = number * size
      const window = { directions: directionsOf(listed, selection, sort), size, offset }
      const isNear = selection.isIndexed && sort.length === 0 && offset + size <= nearRows
      if (!isNear) return { ...(await scanCounted(selection, window)), request }
      const [content, totalElements] = await Promise.all([
        db.read(windowOf(selection, window), make),
        countedBy(countOf(selection)),
      ])
      return { content, totalElements, request }
    },

    async slice(filter, { after, size, sort }) {
      const selection = select(filter)
      const directions = directionsOf(listed, selection, sort)
      const where = after ? and([selection.where, rowsAfter(directions, after)]) : selection.where
      const query = windowOf({ ...selection, where }, { directions, size: size + 1, offset: 0 })
      const isNear = selection.isIndexed && sort.length === 0
      const rows = isNear ? await db.read(query, make) : await db.scan(query, make)
      const content = rows.slice(0, size)
      const last = content.at(-1)
      return { content, next: rows.length > size && last ? placeOf(listed, sort, last) : undefined }
    },

    stream(filter) {
      const selection = select(filter)
      return db.stream(rowsOf(selection, directionsOf(listed, selection, [])), make)
    },
  }
}

interface Counted<T> {
  readonly item: T
  /** The total, repeated in each row. */
  readonly total: number
}

interface Window {
  readonly directions: readonly Direction[]
  readonly size: number
  readonly offset: number
}

const rowsOf = ({ select, from, where }: Selection, directions: readonly Direction[]) =>
  sql`${select} FROM ${from}${filtered(where)}${ordered(directions)}`

const windowOf = (selection: Selection, window: Window) => {
  const { directions, size, offset } = window
  if (selection.narrow && directions.length === 1) return narrowWindowOf(selection, selection.narrow, window)
  return sql`${rowsOf(selection, directions)} LIMIT ${size} OFFSET ${offset}`
}

/** The unary plus stops the engine from walking all rows in this order: it might pass most rows before the first match. */
const narrowWindowOf = (
  { select, where, position }: Selection,
  { from, join }: NonNullable<Selection['narrow']>,
  { size, offset }: Window,
) => {
  const place = raw(position)
  return sql`${select} FROM (
    SELECT ${place} AS place FROM ${from}${filtered(where)} ORDER BY +${place} LIMIT ${size} OFFSET ${offset}
  ) AS found ${join} ORDER BY found.place`
}

const countOf = ({ count, where, total }: Selection) => total ?? sql`${count}${filtered(where)}`

const total = (row: Row) => Number(row.total)

export const and = (conditions: readonly Query[]): Query => {
  const present = conditions.filter((condition) => condition !== empty)
  return present.length === 0 ? empty : join(present, ' AND ')
}

const filtered = (where: Query) => (where === empty ? empty : sql` WHERE ${where}`)

interface Direction {
  readonly column: string
  readonly isDescending: boolean
}

const directionsOf = (
  { sortable }: Pick<Listed<never, never>, 'sortable'>,
  { position }: Selection,
  sort: readonly Order[],
): Direction[] => [
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

const ordered = (directions: readonly Direction[]) =>
  raw(
    ` ORDER BY ${directions.map(({ column, isDescending }) => `${column}${isDescending ? ' DESC' : ''}`).join(', ')}`,
  )

const placeOf = (
  { position, sortable }: Pick<Listed<never, never>, 'sortable'> & { readonly position: string },
  sort: readonly Order[],
  item: object,
): readonly Sortable[] =>
  [...sort.map(({ property }) => property), position].map(
    (property) => (item as Readonly<Record<string, Sortable>>)[property] ?? sortable[property]?.nothing ?? '',
  )

/** Selects the rows after a place: the first differing column decides. `notBefore` lets an index scan start at the place. */
const rowsAfter = (directions: readonly Direction[], after: readonly Sortable[]): Query => {
  const further = directions.map((direction, index) =>
    join(
      [
        ...directions.slice(0, index).map((equal, at) => equals(equal, after[at])),
        comesAfter(direction, after[index]),
      ],
      ' AND ',
    ),
  )
  const [first] = directions
  if (!first || directions.length === 1) return join(further, '')
  return sql`${notBefore(first, after[0])} AND (${join(further, ' OR ')})`
}

const equals = ({ column }: Direction, value: Sortable = null) => sql`${raw(column)} = ${value}`

const comesAfter = ({ column, isDescending }: Direction, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<' : '>')} ${value}`

const notBefore = ({ column, isDescending }: Direction, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<=' : '>=')} ${value}`
