import { fold } from '#core/fold.ts'
import { whereOf } from '#resources/machine/filters.ts'
import type { Database, Row } from '#sql/database.ts'
import { and, type Lists, listing, type Selection } from '#sql/listing.ts'
import { empty, type Query, raw, sql } from '#sql/query.ts'
import { birthDateRangeWords, birthdayRangeWords } from './day-words.ts'
import { addedFieldConditions, type MemberFilter, requireIndexed } from './filter.ts'
import type { MemberRows } from './rows.ts'
import type { Member } from './schema.ts'
import {
  countByWords,
  daySearch,
  genderSearch,
  joinCredential,
  joinMember,
  keySearch,
  matchesIndex,
  nameSearch,
  type Search,
  type SearchContext,
  wordSearches,
} from './search.ts'

export const memberSortable = ({ table }: Pick<MemberRows, 'table'>) => {
  const { version: _, ...sortable } = table.sortable()
  return sortable
}

export const memberLists = (db: Database, rows: MemberRows): Lists<Member, MemberFilter> => {
  const { added, columns, toMember } = rows
  const conditions = addedFieldConditions(added, 'UTC')
  const uniqueColumns = Object.keys(rows.declared.unique)
  const select = (filter: MemberFilter) => ({
    select: columns,
    ...selection(filter, whereOf(conditions, filter), { engine: db.engine, uniqueColumns }),
  })
  const toItem = (row: Row): ListedMember => ({ ...toMember(row), position: Number(row.member_number) })
  return listing(db, { toItem, select, sortable: memberSortable(rows), position: 'position' })
}

interface ListedMember extends Member {
  readonly position: number
}

type MemberSelection = Omit<Selection, 'select'>

const selection = (filter: MemberFilter, addedFields: Query, context: SearchContext): MemberSelection => {
  requireIndexed(filter)
  const { engine } = context
  const { signId, emailAddress, telephoneNumber, name, q, genderCode, role, withoutPassword } = filter
  const birthdays = birthdayQuery(filter, engine)
  const isOnBirthday = birthdays ? sql`substr(member.date_of_birth, 6) IN (${birthdays})` : empty
  const ranges = and([rangesOf(filter), isOnBirthday, addedFields])
  const hasText = [name, q, emailAddress, telephoneNumber].some((one) => one !== undefined)
  const rangesAndGender = and([ranges, ofGender(genderCode)])
  if (!hasText && signId?.isPrefix === false)
    return byCredential(sql`sign_id_folded = ${fold(signId.text)}`, rangesAndGender)
  const qSearches = q === undefined ? [] : wordSearches(q, context)
  const selectiveCondition = and([
    role === undefined ? empty : sql`credential.role = ${role}`,
    // The filter accepts only `true`. There is a partial index with exactly this condition.
    withoutPassword === undefined ? empty : raw("credential.password_hash = ''"),
  ])
  if (selectiveCondition !== empty)
    return byCredential(
      selectiveCondition,
      and([rangesAndGender, ...qSearches.map((one) => one.fullCondition)]),
    )
  const searches = [...qSearches, ...searchesOf(filter)]
  const dateSearches = engine === 'sqlite' ? daySearches(filter) : []
  const { bornFrom: _, bornTo: __, ...withoutBirthDates } = filter
  const rangesOutsideIndex =
    dateSearches.length > 0 ? and([rangesOf(withoutBirthDates), addedFields]) : ranges
  // The index of a range also contains the gender, so a gender with a range needs no word index.
  const usesWordIndex =
    searches.length > 0 && (rangesOutsideIndex === empty || hasText || signId !== undefined)
  // On PostgreSQL a gender alone has an index of its own, which counts it faster.
  const hasOnlyGender = engine === 'postgres' && searches.length === 1 && genderCode !== undefined
  if (usesWordIndex && !hasOnlyGender)
    return byWords([...searches, ...dateSearches], rangesOutsideIndex, engine)
  return birthdays
    ? byBirthdays(birthdays, and([ofGender(genderCode), addedFields]))
    : byRanges(rangesAndGender)
}

/** Searches for ranges of days in SQLite's word index, which also contains the date of birth of each member, encoded as words. */
const daySearches = ({ bornFrom, bornTo, birthdayFrom, birthdayTo }: MemberFilter): readonly Search[] => [
  ...((bornFrom ?? bornTo) ? [daySearch(birthDateRangeWords({ from: bornFrom, to: bornTo }))] : []),
  ...((birthdayFrom ?? birthdayTo)
    ? [daySearch(birthdayRangeWords({ from: birthdayFrom, to: birthdayTo }))]
    : []),
]

const ofGender = (genderCode: string | undefined) =>
  genderCode === undefined ? empty : sql`member.gender_code = ${genderCode}`

const rangesOf = (filter: MemberFilter) =>
  and(
    [
      ['member.date_of_birth', filter.bornFrom, filter.bornTo] as const,
      ['member.created_at', filter.createdFrom, filter.createdTo] as const,
      ['member.last_modified_at', filter.modifiedFrom, filter.modifiedTo] as const,
    ].flatMap(([column, from, to]) => [
      from === undefined ? empty : sql`${raw(column)} >= ${from}`,
      to === undefined ? empty : sql`${raw(column)} < ${to}`,
    ]),
  )

/** A query for the requested days of the year. If the end of the range is before its start, the range includes New Year. */
const birthdayQuery = ({ birthdayFrom, birthdayTo }: MemberFilter, engine: Database['engine']) => {
  if (birthdayFrom === undefined && birthdayTo === undefined) return undefined
  const [from = '01-01', to = '12-32'] = [birthdayFrom, birthdayTo]
  const isInRange = (day: string) => (from <= to ? from <= day && day < to : from <= day || day < to)
  return daysQuery[engine](daysOfYear.filter(isInRange))
}

const daysQuery = {
  sqlite: (days: readonly string[]) => sql`SELECT value AS day FROM json_each(${JSON.stringify(days)})`,
  postgres: (days: readonly string[]) => sql`SELECT unnest(string_to_array(${days.join()}, ',')) AS day`,
}

/** All days of a leap year, as MM-dd. */
const daysOfYear = Array.from({ length: 366 }, (_, day) =>
  new Date(Date.UTC(2000, 0, 1 + day)).toISOString().slice(5, 10),
)

const searchesOf = (filter: MemberFilter): readonly Search[] => {
  const { name, emailAddress, signId, telephoneNumber, genderCode } = filter
  return [
    name === undefined ? undefined : nameSearch(name),
    emailAddress && keySearch('emailAddress', emailAddress),
    signId && keySearch('signId', signId),
    telephoneNumber && keySearch('telephoneNumber', telephoneNumber),
    genderCode === undefined ? undefined : genderSearch(genderCode),
  ].filter((search) => search !== undefined)
}

const allMembers = {
  from: sql`member ${joinCredential}`,
  count: raw('SELECT count(*) AS total FROM member'),
  position: 'member.member_number',
}

const byCredential = (condition: Query, others: Query): MemberSelection => ({
  ...allMembers,
  count: sql`SELECT count(*) AS total FROM member ${joinCredential}`,
  where: and([condition, others]),
  isIndexed: others === empty,
})

/** `found` has the positions of the page. CROSS JOIN fixes the order: otherwise SQLite scans all members if it expects many matches. */
const joinFound = raw(
  'CROSS JOIN member CROSS JOIN credential WHERE member.member_number = found.position AND credential.member_id = member.member_id',
)

/** Each column with a range has its own index, which also contains the gender. */
const byRanges = (where: Query): MemberSelection => {
  if (where === empty) return { ...allMembers, where, isIndexed: true }
  return { ...allMembers, where, isIndexed: false, indexFirst: { from: raw('member'), join: joinFound } }
}

/** Reads the years of birth from the index, and then the members born on these days of each year. */
const byBirthdays = (days: Query, others: Query): MemberSelection => {
  const from = sql`(WITH RECURSIVE birth (year) AS (
      SELECT substr(min(date_of_birth), 1, 5) FROM member
      UNION ALL
      SELECT (SELECT substr(min(date_of_birth), 1, 5) FROM member WHERE date_of_birth > birth.year || '~')
      FROM birth WHERE birth.year IS NOT NULL
    ) SELECT year || day AS day FROM birth CROSS JOIN (${days}) AS asked) AS born CROSS JOIN member`
  return {
    ...allMembers,
    from: sql`${from} ${joinCredential}`,
    count: sql`SELECT count(*) AS total FROM ${from}`,
    where: and([raw('member.date_of_birth = born.day'), others]),
    isIndexed: false,
    indexFirst: { from, join: joinFound },
  }
}

/** Reads the word index first, because it yields members in order of creation. With ranges, a count must read each member. */
const byWords = (searches: readonly Search[], ranges: Query, engine: Database['engine']): MemberSelection => {
  if (engine === 'postgres') return byWordsOnPostgres(searches, ranges)
  const tablesRead = new Set(searches.map((one) => one.source))
  const checks = and([...searches.map(({ check }) => check), ranges])
  const joinsForCount = () => {
    if (tablesRead.has('credential')) return sql`${joinMember} ${joinCredential}`
    if (tablesRead.has('member') || ranges !== empty || (tablesRead.has('name') && tablesRead.has('text')))
      return joinMember
    return tablesRead.has('name') ? joinNames : tablesRead.has('text') ? joinTexts : empty
  }
  const canCountByWords = checks !== empty && ranges === empty
  const fasterCount = canCountByWords
    ? countByWords(searches, sql`${joinsForCount()} WHERE ${checks}`)
    : undefined
  return {
    ...(fasterCount && { fasterCount }),
    from: sql`member_gram ${joinMember} ${joinCredential}`,
    count: sql`SELECT count(*) AS total FROM member_gram ${joinsForCount()}`,
    where: and([matchesIndex(searches, 'sqlite'), checks]),
    position: 'member_gram.rowid',
    isIndexed: false,
  }
}

/** OFFSET 0 makes PostgreSQL check the members found one by one until the page is full. Otherwise it would read all members. */
const byWordsOnPostgres = (searches: readonly Search[], ranges: Query): MemberSelection => {
  const checksOf = (some: readonly Search[]) => some.map(({ check }) => check)
  const indexSearches = searches.filter(({ source }) => source === 'index')
  const rowSearches = searches.filter(({ source }) => source !== 'index')
  const found = sql`SELECT rowid FROM member_gram WHERE ${and([matchesIndex(searches, 'postgres'), ...checksOf(indexSearches)])}`
  const checks = and([...checksOf(rowSearches), ranges])
  const tables = rowSearches.some(({ source }) => source === 'credential')
    ? sql`member ${joinCredential}`
    : raw('member')
  const checked =
    checks === empty
      ? empty
      : sql`CROSS JOIN LATERAL (
          SELECT FROM ${tables} WHERE member.member_number = member_gram.rowid AND ${checks} OFFSET 0
        ) AS checked`
  return {
    from: sql`(${found} ORDER BY rowid) AS member_gram ${checked} ${joinMember} ${joinCredential}`,
    count: sql`SELECT count(*) AS total FROM (${found}) AS member_gram ${checked}`,
    where: empty,
    position: 'member_gram.rowid',
    isIndexed: false,
  }
}

/** These indexes contain the searchable names and texts. Without INDEXED BY, SQLite would look up each row by its number. */
const joinNames = raw(
  'JOIN member INDEXED BY member_searchable_name ON member.member_number = member_gram.rowid',
)
const joinTexts = raw(
  'JOIN member INDEXED BY member_searchable_text ON member.member_number = member_gram.rowid',
)
