import { isId } from '#core/id.ts'
import type { ResolvedMessage } from '#core/problem.ts'
import type { ExistingRecord, ImportTarget } from '#resources/import-target.ts'
import type { Row } from '#sql/database.ts'
import { statement } from '#sql/query.ts'
import { mapColumns } from './columns.ts'
import { mayFind } from './rights.ts'
import type { Draft, InterpretedRow, JudgeParts } from './row-faults.ts'
import type { Options } from './schema.ts'
import type { Imported } from './service.ts'
import type { Job } from './store.ts'

/** A row with the references whose records are not stored, but may come from an earlier row of the file. */
export interface ReferringRow extends InterpretedRow {
  readonly unresolved: readonly Unresolved[]
}

interface Unresolved {
  readonly field: string
  readonly text: string
  readonly refusal: ResolvedMessage
}

/** Replaces each reference by the id of its record: a file may give any value that identifies the record, such as a sign id. */
export const resolveReferences = async (
  parts: JudgeParts,
  job: Job,
  rows: readonly InterpretedRow[],
): Promise<readonly ReferringRow[]> => {
  let resolved: readonly ReferringRow[] = rows.map((row) => ({ ...row, unresolved: [] }))
  for (const { field } of parts.records.references) {
    const target = parts.referred(field)
    const texts = rows.flatMap(({ given }) => textsIn(given[field]))
    if (!target || texts.length === 0) continue
    const heading = job.columns.find((column) => column.field === field)?.heading ?? undefined
    const names = namesKnownTo(job, target)
    const idsOf = await finderOf(target, { heading, names }, [...new Set(texts)])
    resolved = resolved.map((row) => {
      const [text] = textsIn(row.given[field])
      if (text === undefined) return row
      const [id, ...others] = idsOf(text)
      if (id !== undefined && others.length === 0) return { ...row, given: { ...row.given, [field]: id } }
      const isMissing = id === undefined
      const refusal = {
        ...refusalOf(target, { text, names, isMissing, locale: job.options.locale }),
        target: field,
      }
      return isMissing && target.records === parts.records
        ? { ...row, unresolved: [...row.unresolved, { field, text, refusal }] }
        : { ...row, unclear: [...row.unclear, refusal] }
    })
  }
  return resolved
}

/** The schema refuses any other value. */
const textsIn = (value: unknown) => (typeof value === 'string' ? [value] : [])

/** The fields that may identify the record. A caller without the right to read it may use only the id, because a match of another field would tell it the id. */
const namesKnownTo = ({ by }: Job, { plural, records }: Imported) =>
  mayFind(by.scopes ? new Set(by.scopes) : undefined, plural)
    ? Object.keys(records.matchFields)
    : [records.id]

interface Search {
  readonly heading: string | undefined
  readonly names: readonly string[]
}

/** Finds the ids of the records that a text may mean. The field that the heading names is tried before other unique fields. */
const finderOf = async (
  { records, mappable }: Imported,
  { heading, names }: Search,
  texts: readonly string[],
) => {
  const { id, matchFields } = records
  const byId = await recordsBy(records, id, texts)
  const named = texts.filter((text) => byId(text).length === 0)
  const others = names.filter((name) => name !== id)
  const finders = others.map(async (name) => [name, await recordsBy(records, name, named)] as const)
  const by = new Map([[id, byId], ...(await Promise.all(finders))])
  const told = mapColumns([heading], [], mappable).flatMap((name) => name ?? [])
  const tiers = [[id], told, others.filter((name) => matchFields[name]?.isUnique), others]
  return (text: string): readonly string[] => {
    const found = tiers.map((names) => names.flatMap((name) => by.get(name)?.(text) ?? []))
    return [...new Set(found.find((some) => some.length > 0)?.map((record) => record.id))]
  }
}

/** Finds the records that have one of these values in an identifying field. */
export const recordsBy = async (records: ImportTarget, field: string, values: readonly unknown[]) => {
  const keyOf = (value: unknown) => records.matchValues({ [field]: value }, false)[field]
  const keys = new Set(values.map(keyOf).filter((key) => key !== undefined))
  const found = Map.groupBy(await records.find(field, [...keys]), ({ foundBy }) => foundBy)
  return (value: unknown): readonly ExistingRecord[] => found.get(keyOf(value) ?? '') ?? []
}

interface Reason {
  readonly text: string
  readonly names: readonly string[]
  readonly isMissing: boolean
  readonly locale: Options['locale']
}

const refusalOf = ({ labels }: Imported, { text, names, isMissing, locale }: Reason): ResolvedMessage => {
  const { one, many, fields } = labels[locale]
  const [id = '', ...others] = names
  const named = (others.length > 0 && !isId(text) ? others : [id]).map((name) =>
    lowerFirst(fields[name]?.label ?? name),
  )
  const list = new Intl.ListFormat(locale, { type: 'disjunction' }).format(named)
  return {
    code: 'Reference',
    wording: isMissing ? 'Reference.unknown' : 'Reference.several',
    args: { what: lowerFirst(one), many: lowerFirst(many), fields: list, value: text },
  }
}

/** A label within a sentence. */
const lowerFirst = (label: string) => label.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())

/** The records that earlier rows of the file will make, for rows that refer to them. */
export const earlierRows = async (parts: JudgeParts, job: Job, rows: readonly ReferringRow[]) => {
  const { matchFields, id: idField, matchValues } = parts.records
  const unique = Object.keys(matchFields).filter((name) => matchFields[name]?.isUnique)
  const keysOf = (text: string) =>
    Object.entries(matchValues(Object.fromEntries(unique.map((name) => [name, text])), false))
  const wanted = rows.flatMap(({ unresolved }) => unresolved.flatMap(({ text }) => keysOf(text)))
  const made = new Map(await claims(parts, job, wanted))
  const idOf = (text: string, line: number) =>
    keysOf(text)
      .map((key) => made.get(key.join(' ')))
      .find((found) => found && found.line < line)?.id
  return {
    resolved(row: ReferringRow): ReferringRow {
      const ids = row.unresolved.map(({ field, text }) => [field, idOf(text, row.row.line)] as const)
      const given = Object.fromEntries(ids.filter(([, id]) => id !== undefined))
      const missing = row.unresolved.filter(({ field }) => !(field in given))
      const unclear = [...row.unclear, ...missing.map(({ refusal }) => refusal)]
      return { ...row, given: { ...row.given, ...given }, unclear }
    },

    note(draft: Draft) {
      const id = draft.existing?.id ?? draft.matchValues[idField]
      if (id === undefined || draft.faults.length > 0) return
      for (const key of Object.entries(draft.matchValues))
        made.set(key.join(' '), { id, line: draft.row.line })
    },
  }
}

/** The unique values among these that rows of earlier batches have claimed, with their lines and the ids of their records. */
const claims = async (
  { db, records }: JudgeParts,
  { importId, round }: Job,
  keys: readonly [string, string][],
) => {
  if (keys.length === 0) return []
  const holders = keys.map(() => '?').join(', ')
  const text = `
    SELECT import_key.name, import_key.value, import_key.line, record.value AS id FROM import_key
    JOIN import_key AS record ON record.import_id = import_key.import_id AND record.line = import_key.line
      AND record.round = import_key.round AND record.name IN (?, 'record')
    WHERE import_key.import_id = ? AND import_key.round = ? AND import_key.value IN (${holders})`
  const values = [records.id, importId, round, ...keys.map(([, value]) => value)]
  return db.read(statement(text, values, []), toClaim)
}

const toClaim = (row: Row): readonly [string, { readonly id: string; readonly line: number }] => [
  `${row.name} ${row.value}`,
  { id: String(row.id), line: Number(row.line) },
]
