import { newName } from '#client/name.ts'
import { keep, readKept } from '#console/app/state/browser-storage.ts'
import { flagOf, undefused } from '#core/csv.ts'
import { cellReader, type DateOrder, dateOrderOf, isReport, lettersOf } from '#core/foreign.ts'
import { detailsOf } from './judge.ts'
import type { Table, Unreadable } from './read.ts'
import {
  type Batch,
  type Body,
  columns,
  type FileRecord,
  filled,
  headerOf,
  type Kind,
  type Row,
} from './record.ts'

/** How the columns of a file are understood. */
export interface Mapping {
  readonly kind: Kind
  /** The field that each column fills, undefined for one that is left out. */
  readonly names: readonly (string | undefined)[]
  /** Of dates such as 03/02/1985. */
  readonly order: DateOrder | 'open' | undefined
  readonly passwords: 'refused' | 'made'
  /** Whether a person should look at it. */
  readonly isDoubtful: boolean
}

/** What can be known of the columns without asking. */
export const mappingOf = ({ headings, rows, encoding }: Table): Mapping | Unreadable => {
  const header = headerOf(headings, remembered)
  if (!header) return { why: 'fields' }
  const { kind } = header
  const isFull = (at: number) => rows.some(({ cells }) => cells[at] !== undefined)
  if (isFull(header.names.indexOf('credential.passwordHash'))) return { why: 'hashes' }
  const isKnown = (name: string | undefined, at: number) =>
    name === undefined || (columns[kind].known.includes(name) && header.names.indexOf(name) === at)
  const names = header.names.map((name, at) =>
    name !== undefined && isKnown(name, at) && filled[kind].includes(name) ? name : undefined,
  )
  const isOpen = header.names.some((name, at) => !isKnown(name, at) && isFull(at))
  const order = orderOf(names, rows)
  const mapping = { kind, names, order, passwords: 'refused', isDoubtful: false } as const
  const isDoubtful =
    isOpen ||
    order === 'open' ||
    !encoding.startsWith('utf') ||
    missingIn(mapping).length > 0 ||
    lacksPasswords(mapping, rows)
  return { ...mapping, isDoubtful }
}

/** The order that the dates of a column show. */
export const orderOf = (names: Mapping['names'], rows: readonly Row[]) => {
  const at = names.indexOf('dateOfBirth')
  return dateOrderOf(rows.map(({ cells }) => cells[at] ?? ''))
}

/** The fields that no column fills, without which every record would be refused. */
export const missingIn = ({ kind, names }: Mapping): readonly string[] =>
  columns[kind].required.flatMap(([field = '']) =>
    field === 'credential.password' || names.includes(field) ? [] : field,
  )

export const lacksPasswords = ({ kind, names }: Mapping, rows: readonly Row[]) => {
  const at = names.indexOf('credential.password')
  return kind === 'members' && rows.some(({ cells, fault }) => !fault && cells[at] === undefined)
}

/** The records that a file holds if its columns are understood in this way, with all that is wrong with them. */
export const batchOf = ({ unit, headings, rows }: Table, mapping: Mapping): Batch => {
  const { kind, passwords } = mapping
  const fieldsOf = fieldReader(headings, mapping)
  const records = rows.map((row): FileRecord => {
    const fields = row.fault ? {} : fieldsOf(row)
    const isPasswordMade = passwords === 'made' && kind === 'members' && !('credential.password' in fields)
    const body = bodyOf(kind, isPasswordMade ? { ...fields, 'credential.password': madePassword() } : fields)
    return { ...row, body, details: row.fault ? [] : detailsOf(kind, body), isPasswordMade }
  })
  return { kind, unit, headings, records }
}

type Fields = Readonly<Record<string, string | boolean>>

/** Empty cells are not sent, but `""` is: an optional field is then absent. */
const fieldReader = (headings: Table['headings'], { kind, names, order }: Mapping) => {
  const columnsRead = names.flatMap((name, at) => {
    if (name === undefined) return []
    const heading = { heading: headings[at]?.trim(), name }
    const read = cellReader(columns[kind].foreign ?? {}, heading, order === 'open' ? undefined : order)
    const isRaw = name === 'credential.password' && !isReport(headings)
    return { name, at, isRaw, read: name === 'finished' ? flagOf : read }
  })
  return ({ cells }: Row): Fields => {
    const full = columnsRead.flatMap(({ name, at, isRaw, read }) => {
      const cell = cells[at]
      if (cell === undefined) return []
      return [[name, read(isRaw ? cell : undefused(cell))] as const]
    })
    return Object.fromEntries(full)
  }
}

const bodyOf = (kind: Kind, fields: Fields): Body => {
  if (kind === 'todos') return { finished: false, ...fields }
  const { 'credential.signId': signId, 'credential.password': password, ...profile } = fields
  return { ...profile, credential: { signId, password } }
}

/** 64 random bits, in letters that cannot be mistaken. */
const madePassword = () => newName().slice(0, 16)

const storageKey = (kind: Kind) => `rollcall.columns.${kind}`

const maxRemembered = 300

/** What headings meant the last time, by their letters. */
const remembered = (kind: Kind): ReadonlyMap<string, string> => {
  try {
    return new Map(Object.entries<string>(JSON.parse(readKept('localStorage', storageKey(kind)) ?? '{}')))
  } catch {
    return new Map()
  }
}

/** Remembers what headings of other programs mean, and forgets the oldest of many. */
export const remember = (headings: Table['headings'], { kind, names }: Mapping) => {
  const now = headings.flatMap((heading = '', at): readonly (readonly [string, string])[] => {
    const letters = lettersOf(heading)
    return letters === '' || columns[kind].known.includes(heading.trim()) ? [] : [[letters, names[at] ?? '']]
  })
  const all = [...new Map([...remembered(kind), ...now])]
  keep('localStorage', storageKey(kind), JSON.stringify(Object.fromEntries(all.slice(-maxRemembered))))
}
