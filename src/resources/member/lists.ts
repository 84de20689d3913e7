import { fold } from '#core/fold.ts'
import type { Sortable } from '#core/page.ts'
import type { Database, Row } from '#sql/database.ts'
import { and, listing, type Selection } from '#sql/listing.ts'
import { empty, type Query, raw, sql } from '#sql/query.ts'
import { memberColumns, memberTable, toMember } from './rows.ts'
import type { Member } from './schema.ts'
import { nameSearch } from './search.ts'
import type { MemberFilter, MemberStore } from './service.ts'

const { version: _, ...sortable } = memberTable.sortable()

export const memberSortable = Object.keys(sortable)

/** Lists of members, in order of creation or in another order. */
export const memberLists = (db: Database): Pick<MemberStore, 'page' | 'slice' | 'stream'> => {
  const lists = listing(db, { make: toListed, sortable, valueOf: sortValue, positionOf })
  const selected = (filter: MemberFilter) => selection(filter, db.engine)
  return {
    page: (filter, request) => lists.page(selected(filter), request),
    slice: (filter, request) => lists.slice(selected(filter), request),
    stream: (filter) => lists.stream(selected(filter)),
  }
}

interface Listed extends Member {
  readonly position: number
}

const toListed = (row: Row): Listed => ({ ...toMember(row), position: Number(row.member_number) })

const sortValue = (member: Listed, property: string): Sortable =>
  (member as Listed & Readonly<Record<string, Sortable>>)[property] ?? ''

const positionOf = ({ position }: Listed) => position

const selection = (filter: MemberFilter, engine: Database['engine']): Selection => {
  const { name, signId, createdFrom, createdTo } = filter
  const conditions = {
    member: and([
      createdFrom === undefined ? empty : sql`created_at >= ${createdFrom}`,
      createdTo === undefined ? empty : sql`created_at < ${createdTo}`,
    ]),
    credential: signId === undefined ? empty : sql`sign_id_folded = ${fold(signId)}`,
  }
  if (name !== undefined) return byName(name, conditions, engine)
  return {
    select: memberColumns,
    from: sql`member ${withCredential}`,
    count: sql`SELECT count(*) AS total FROM member ${signId === undefined ? empty : withCredential}`,
    where: and([conditions.credential, conditions.member]),
    position: 'member.member_number',
    isIndexed: conditions.member === empty,
  }
}

/** Conditions other than the name, by the table that they look at. */
interface Conditions {
  readonly member: Query
  readonly credential: Query
}

/** The index comes first: it finds the members in order of creation. */
const byName = (name: string, { member, credential }: Conditions, engine: Database['engine']): Selection => {
  const { inIndex, inName } = nameSearch(name, engine)
  const named = and([inName, member])
  const countedWith = () => {
    if (credential !== empty) return sql`${withMember} ${withCredential}`
    if (named === empty) return empty
    return member === empty ? withName[engine] : withMember
  }
  return {
    select: memberColumns,
    from: sql`member_gram ${withMember} ${withCredential}`,
    count: sql`SELECT count(*) AS total FROM member_gram ${countedWith()}`,
    where: and([inIndex, named, credential]),
    position: 'member_gram.rowid',
    isIndexed: false,
  }
}

const withMember = raw('JOIN member ON member.member_number = member_gram.rowid')

/** This index holds the names close together. SQLite must be told to use it: by itself it looks up each row by its number. */
const withName = {
  sqlite: raw('JOIN member INDEXED BY member_searchable_name ON member.member_number = member_gram.rowid'),
  postgres: withMember,
}

const withCredential = raw('JOIN credential ON credential.member_id = member.member_id')
