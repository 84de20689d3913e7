import type { Order, Page, PageRequest, Slice, SliceRequest, Sortable } from '#core/page.ts'
import type { Database, Make, Row } from './database.ts'
import { empty, join, type Query, raw, sql } from './query.ts'

/** How items are made of rows, and what they may be sorted by. */
export interface Listed<T> {
  readonly make: Make<T>
  /** The column of each property that it may be sorted by; none of them null. */
  readonly sortable: Readonly<Record<string, string>>
  /** The value that an item has in one of these columns. */
  readonly valueOf: (item: T, property: string) => Sortable
}

/** Which rows are listed, and where they come from. */
export interface Selection {
  readonly select: Query
  /** Counts the same rows: it may leave out tables that a count does not need. */
  readonly count: Query
  /** A condition, or empty. */
  readonly where: Query
  /** The column that orders rows by their creation and breaks ties. */
  readonly position: string
  /** An index leads to a page of them in this order without a look at the others. */
  readonly isIndexed: boolean
}

export interface Listing<T> {
  page(selection: Selection, request: PageRequest): Promise<Page<T>>
  slice(selection: Selection, request: SliceRequest): Promise<Slice<T>>
  stream(selection: Selection): AsyncIterable<readonly T[]>
}

/** A page that begins within so many rows of an index is read at once. */
const nearRows = 1000

export const listing = <T>(db: Database, listed: Listed<T>): Listing<T> => ({
  async page(selection, request) {
    const { number, size, sort } = request
    const { select, count, where } = selection
    const directions = directionsOf(listed, selection, sort)
    const offset = number * size
    const query = sql`${select}${filtered([where])}${ordered(directions)} LIMIT ${size} OFFSET ${offset}`
    const isNear = selection.isIndexed && sort.length === 0 && offset + size <= nearRows
    const [content, [totalElements = 0]] = await Promise.all([
      isNear ? db.read(query, listed.make) : db.scan(query, listed.make),
      db.scan(sql`${count}${filtered([where])}`, total),
    ])
    return { content, totalElements, request }
  },

  async slice(selection, { after, size, sort }) {
    const { select, where } = selection
    const directions = directionsOf(listed, selection, sort)
    const conditions = after ? [where, beyond(directions, after)] : [where]
    const query = sql`${select}${filtered(conditions)}${ordered(directions)} LIMIT ${size + 1}`
    const isNear = selection.isIndexed && sort.length === 0
    const rows = isNear ? await db.read(query, listed.make) : await db.scan(query, listed.make)
    const content = rows.slice(0, size)
    const last = content.at(-1)
    return { content, next: rows.length > size && last ? placeOf(listed, sort, last) : undefined }
  },

  stream(selection) {
    const order = ordered(directionsOf(listed, selection, []))
    return db.stream(sql`${selection.select}${filtered([selection.where])}${order}`, listed.make)
  },
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

const directionsOf = <T>(
  { sortable }: Listed<T>,
  { position }: Selection,
  sort: readonly Order[],
): Direction[] => [
  ...sort.map(({ property, direction }) => ({
    column: sortable[property] ?? position,
    isDescending: direction === 'desc',
  })),
  { column: position, isDescending: false },
]

const ordered = (directions: readonly Direction[]) =>
  raw(
    ` ORDER BY ${directions.map(({ column, isDescending }) => `${column}${isDescending ? ' DESC' : ''}`).join(', ')}`,
  )

const placeOf = <T>(listed: Listed<T>, sort: readonly Order[], item: T): readonly Sortable[] =>
  [...sort.map(({ property }) => property), positionProperty].map((property) =>
    listed.valueOf(item, property),
  )

/** The name by which `valueOf` is asked for the position. */
export const positionProperty = ''

/** The rows after a place: further in the first column that differs. The first bound lets an index begin there. */
const beyond = (directions: readonly Direction[], after: readonly Sortable[]): Query => {
  const further = directions.map((direction, index) =>
    join(
      [
        ...directions.slice(0, index).map((equal, at) => same(equal, after[at])),
        past(direction, after[index]),
      ],
      ' AND ',
    ),
  )
  const [first] = directions
  if (!first || directions.length === 1) return join(further, '')
  return sql`${notBefore(first, after[0])} AND (${join(further, ' OR ')})`
}

const same = ({ column }: Direction, value: Sortable = null) => sql`${raw(column)} = ${value}`

const past = ({ column, isDescending }: Direction, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<' : '>')} ${value}`

const notBefore = ({ column, isDescending }: Direction, value: Sortable = null) =>
  sql`${raw(column)} ${raw(isDescending ? '<=' : '>=')} ${value}`
