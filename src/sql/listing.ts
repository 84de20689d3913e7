import type { Order, Page, PageRequest, Slice, SliceRequest, Sortable } from '#core/page.ts'
import type { Database, Make, Row } from './database.ts'
import { empty, join, type Query, raw, sql } from './query.ts'

/** A table, or what stands for one, as lists are made from it. */
export interface Listed<T> {
  /** What is selected, and from where. */
  readonly select: Query
  /** What is counted: it may leave out what a count does not need. */
  readonly count: Query
  /** The column that orders it by creation and breaks ties. */
  readonly id: string
  /** The column of each property that it may be sorted by; none of them null. */
  readonly sortable: Readonly<Record<string, string>>
  readonly make: Make<T>
  /** The value that a row has in one of these columns. */
  readonly valueOf: (item: T, property: string) => Sortable
}

/** Pages, slices and streams of a table; `where` is a condition, or empty. */
export interface Listing<T> {
  page(where: Query, request: PageRequest): Promise<Page<T>>
  slice(where: Query, request: SliceRequest): Promise<Slice<T>>
  stream(where: Query): AsyncIterable<readonly T[]>
}

/** An unfiltered page in the order of the ids that begins within so many rows is read at once. */
const nearRows = 1000

export const listing = <T>(db: Database, table: Listed<T>): Listing<T> => ({
  async page(where, request) {
    const { number, size, sort } = request
    const offset = number * size
    const query = sql`${table.select}${filtered([where])}${ordered(table, sort)} LIMIT ${size} OFFSET ${offset}`
    const isNear = where === empty && sort.length === 0 && offset + size <= nearRows
    const [content, [totalElements = 0]] = await Promise.all([
      isNear ? db.read(query, table.make) : db.scan(query, table.make),
      db.scan(sql`${table.count}${filtered([where])}`, total),
    ])
    return { content, totalElements, request }
  },

  async slice(where, { after, size, sort }) {
    const conditions = after ? [where, beyond(table, sort, after)] : [where]
    const query = sql`${table.select}${filtered(conditions)}${ordered(table, sort)} LIMIT ${size + 1}`
    const isNear = where === empty && sort.length === 0
    const rows = isNear ? await db.read(query, table.make) : await db.scan(query, table.make)
    const content = rows.slice(0, size)
    const last = content.at(-1)
    return { content, next: rows.length > size && last ? placeOf(table, sort, last) : undefined }
  },

  stream: (where) => db.stream(sql`${table.select}${filtered([where])}${ordered(table, [])}`, table.make),
})

const total = (row: Row) => Number(row.total)

export const and = (conditions: readonly Query[]): Query => {
  const real = conditions.filter((condition) => condition !== empty)
  return real.length === 0 ? empty : join(real, ' AND ')
}

const filtered = (conditions: readonly Query[]) => {
  const condition = and(conditions)
  return condition === empty ? empty : sql` WHERE ${condition}`
}

interface Direction {
  readonly column: string
  readonly isDescending: boolean
}

const directions = <T>({ sortable, id }: Listed<T>, sort: readonly Order[]): Direction[] => [
  ...sort.map(({ property, direction }) => ({
    column: sortable[property] ?? id,
    isDescending: direction === 'desc',
  })),
  { column: id, isDescending: false },
]

const ordered = <T>(table: Listed<T>, sort: readonly Order[]) => {
  const columns = directions(table, sort).map(
    ({ column, isDescending }) => `${column}${isDescending ? ' DESC' : ''}`,
  )
  return raw(` ORDER BY ${columns.join(', ')}`)
}

const placeOf = <T>(table: Listed<T>, sort: readonly Order[], item: T): readonly Sortable[] =>
  [...sort.map(({ property }) => property), idProperty].map((property) => table.valueOf(item, property))

/** The name under which `valueOf` is asked for the id. */
export const idProperty = ''

/** The rows after a place: further in the first column that differs. The first bound lets an index begin there. */
const beyond = <T>(table: Listed<T>, sort: readonly Order[], after: readonly Sortable[]): Query => {
  const columns = directions(table, sort)
  const further = columns.map((direction, index) =>
    join(
      [...columns.slice(0, index).map((equal, at) => same(equal, after[at])), past(direction, after[index])],
      ' AND ',
    ),
  )
  if (columns.length === 1) return join(further, '')
  const [first] = columns
  return sql`${first ? notBefore(first, after[0]) : empty} AND (${join(further, ' OR ')})`
}

const same = ({ column }: Direction, value: Sortable = null) => sql`${raw(column)} = ${value}`

const past = ({ column, isDescending }: Direction, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<' : '>')} ${value}`

const notBefore = ({ column, isDescending }: Direction, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<=' : '>=')} ${value}`
