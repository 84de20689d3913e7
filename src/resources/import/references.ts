import { isId } from '#core/id.ts'
import type { CodedMessage } from '#core/problem.ts'
import type { ExistingRecord, ImportTarget } from '#resources/import-target.ts'
import type { Row } from '#sql/database.ts'
import { statement } from '#sql/query.ts'
import { mapColumns } from './columns.ts'
import { mayFindByValue } from './rights.ts'
import type { CheckContext, Draft, InterpretedRow } from './row-faults.ts'
import type { Options } from './schema.ts'
import type { ImportableResource } from './service.ts'
import type { Job } from './store.ts'

/** A row, with its references to records that do not exist yet but may be created by an earlier row. */
export interface ReferringRow extends InterpretedRow {
  readonly unresolved: readonly Unresolved[]
}

interface Unresolved {
  readonly field: string
  readonly text: string
  readonly refusal: CodedMessage
}

/** Replaces each reference by the id of its record. A file may contain any value that identifies the record, such as a sign id. */
export const resolveReferences = async (
  importable: CheckContext,
  job: Job,
  rows: readonly InterpretedRow[],
): Promise<readonly ReferringRow[]> => {
  let resolved: readonly ReferringRow[] = rows.map((row) => ({ ...row, unresolved: [] }))
  for (const { field } of importable.records.references) {
    const target = importable.referredResource(field)
    const texts = rows.flatMap(({ fileValues }) => textIn(fileValues[field]))
    if (!target || texts.length === 0) continue
    const heading = job.columns.find((column) => column.field === field)?.heading ?? undefined
    const names = usableMatchFields(job, target)
    const idsOf = await idFinder(target, { heading, names }, [...new Set(texts)])
    resolved = resolved.map((row) => {
      const [text] = textIn(row.fileValues[field])
      if (text === undefined) return row
      const [id, ...others] = idsOf(text)
      if (id !== undefined && others.length === 0)
        return { ...row, fileValues: { ...row.fileValues, [field]: id } }
      const isMissing = id === undefined
      const refusal = {
        ...refusalOf(target, { text, names, isMissing, locale: job.options.locale }),
        target: field,
      }
      return isMissing && target.records === importable.records
        ? { ...row, unresolved: [...row.unresolved, { field, text, refusal }] }
        : { ...row, valueFaults: [...row.valueFaults, refusal] }
    })
  }
  return resolved
}

/** The text of a reference, as a list. Other values are ignored here, because the schema refuses them. */
const textIn = (value: unknown) => (typeof value === 'string' ? [value] : [])

/** A caller who may not read a record can refer to it only by id, because a match by another field would reveal the id. */
const usableMatchFields = ({ by }: Job, { plural, records }: ImportableResource) =>
  mayFindByValue(scopesOf({ by }), plural) ? Object.keys(records.matchFields) : [records.id]

const scopesOf = ({ by }: Pick<Job, 'by'>) => (by.scopes ? new Set(by.scopes) : undefined)

interface ReferenceSearch {
  readonly heading: string | undefined
  readonly names: readonly string[]
}

/** Finds the records that a text may mean, by the id, the field that the heading names, other unique fields, and then the rest. */
const idFinder = async (
  { records, mappable }: ImportableResource,
  { heading, names }: ReferenceSearch,
  texts: readonly string[],
) => {
  const { id, matchFields } = records
  const byId = await recordFinder(records, id, texts)
  const otherTexts = texts.filter((text) => byId(text).length === 0)
  const others = names.filter((name) => name !== id)
  const finders = others.map(async (name) => [name, await recordFinder(records, name, otherTexts)] as const)
  const finderOf = new Map([[id, byId], ...(await Promise.all(finders))])
  const fieldsOfHeading = mapColumns([heading], [], mappable).flatMap((name) => name ?? [])
  const uniqueFields = others.filter((name) => matchFields[name]?.isUnique)
  const fieldsByPriority = [[id], fieldsOfHeading, uniqueFields, others]
  return (text: string): readonly string[] => {
    const found = fieldsByPriority.map((names) => names.flatMap((name) => finderOf.get(name)?.(text) ?? []))
    return [...new Set(found.find((some) => some.length > 0)?.map((record) => record.id))]
  }
}

/** Reads the records that have one of these values in an identifying field. Returns a function that finds them by a value. */
export const recordFinder = async (records: ImportTarget, field: string, values: readonly unknown[]) => {
  const keyOf = (value: unknown) => records.matchValues({ [field]: value }, false)[field]
  const keys = new Set(values.map(keyOf).filter((key) => key !== undefined))
  const found = Map.groupBy(await records.find(field, [...keys]), ({ foundBy }) => foundBy)
  return (value: unknown): readonly ExistingRecord[] => found.get(keyOf(value) ?? '') ?? []
}

/** Returns a function that keeps a reference of an existing record if the row has the name of its target, as an export for people has. */
export const namedReferences = async (
  importable: CheckContext,
  job: Job,
  existing: readonly ExistingRecord[],
) => {
  const finders = new Map<string, Awaited<ReturnType<typeof recordFinder>>>()
  for (const { field } of importable.records.references) {
    const target = importable.referredResource(field)
    const ids = existing.flatMap(({ values }) => textIn(values[field]))
    if (!target || ids.length === 0 || !mayFindByValue(scopesOf(job), target.plural)) continue
    finders.set(field, await recordFinder(target.records, target.records.id, ids))
  }
  return (row: ReferringRow, present: ExistingRecord | undefined): ReferringRow => {
    const isNamed = ({ target = '', args }: CodedMessage) =>
      finders
        .get(target)?.(present?.values[target])
        .some((record) => namesOf(record).includes(String(args?.value))) ?? false
    const kept = row.valueFaults.filter(isNamed).map(({ target = '' }) => [target, present?.values[target]])
    return {
      ...row,
      fileValues: { ...row.fileValues, ...Object.fromEntries(kept) },
      valueFaults: row.valueFaults.filter((refusal) => !isNamed(refusal)),
    }
  }
}

/** The possible names of a record: each of its texts, or two of them, such as the full name of a member. */
const namesOf = ({ values }: ExistingRecord) => {
  const texts = Object.values(values).flatMap(textIn)
  return [...texts, ...texts.flatMap((one) => texts.map((other) => `${one} ${other}`))]
}

interface ReferenceFault {
  readonly text: string
  readonly names: readonly string[]
  readonly isMissing: boolean
  readonly locale: Options['locale']
}

const refusalOf = (
  { labels }: ImportableResource,
  { text, names, isMissing, locale }: ReferenceFault,
): CodedMessage => {
  const { one, many, fields } = labels[locale]
  const [id = '', ...others] = names
  const fieldLabels = (others.length > 0 && !isId(text) ? others : [id]).map((name) =>
    labelInSentence(fields[name]?.label ?? name),
  )
  const list = new Intl.ListFormat(locale, { type: 'disjunction' }).format(fieldLabels)
  return {
    code: 'Reference',
    wording: isMissing ? 'Reference.unknown' : 'Reference.several',
    args: { what: labelInSentence(one), many: labelInSentence(many), fields: list, value: text },
  }
}

const labelInSentence = (label: string) =>
  label.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())

/** Knows the ids of the records that earlier rows of the file will create, for rows that refer to these records. */
export const trackEarlierRows = async (importable: CheckContext, job: Job, rows: readonly ReferringRow[]) => {
  const { matchFields, id: idField, matchValues } = importable.records
  const uniqueFields = Object.keys(matchFields).filter((name) => matchFields[name]?.isUnique)
  const keysOf = (text: string) =>
    Object.entries(matchValues(Object.fromEntries(uniqueFields.map((name) => [name, text])), false))
  const keys = rows.flatMap(({ unresolved }) => unresolved.flatMap(({ text }) => keysOf(text)))
  const claimsByKey = new Map(await findClaims(importable, job, keys))
  const idOf = (text: string, line: number) =>
    keysOf(text)
      .map((key) => claimsByKey.get(key.join(' ')))
      .find((found) => found && found.line < line)?.id
  return {
    resolve(row: ReferringRow): ReferringRow {
      const ids = row.unresolved.map(({ field, text }) => [field, idOf(text, row.stagedRow.line)] as const)
      const resolvedIds = Object.fromEntries(ids.filter(([, id]) => id !== undefined))
      const missing = row.unresolved.filter(({ field }) => !(field in resolvedIds))
      const valueFaults = [...row.valueFaults, ...missing.map(({ refusal }) => refusal)]
      return { ...row, fileValues: { ...row.fileValues, ...resolvedIds }, valueFaults }
    },

    remember(draft: Draft) {
      const id = draft.existing?.id ?? draft.matchValues[idField]
      if (id === undefined || draft.faults.length > 0) return
      for (const key of Object.entries(draft.matchValues))
        claimsByKey.set(key.join(' '), { id, line: draft.stagedRow.line })
    },
  }
}

/** Finds the rows of earlier batches that have claimed one of these unique values, and the ids of their records. */
const findClaims = async (
  { db, records }: CheckContext,
  { importId, round }: Job,
  keys: readonly [string, string][],
) => {
  if (keys.length === 0) return []
  const placeholders = keys.map(() => '?').join(', ')
  const text = `
    SELECT import_key.name, import_key.value, import_key.line, record.value AS id FROM import_key
    JOIN import_key AS record ON record.import_id = import_key.import_id AND record.line = import_key.line
      AND record.round = import_key.round AND record.name IN (?, 'record')
    WHERE import_key.import_id = ? AND import_key.round = ? AND import_key.value IN (${placeholders})`
  const values = [records.id, importId, round, ...keys.map(([, value]) => value)]
  return db.read(statement(text, values, []), toClaim)
}

const toClaim = (row: Row): readonly [string, { readonly id: string; readonly line: number }] => [
  `${row.name} ${row.value}`,
  { id: String(row.id), line: Number(row.line) },
]
