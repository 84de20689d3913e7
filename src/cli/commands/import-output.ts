import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Import, ImportPassword, ImportRow } from '#client/types.ts'
import { escapeFormula, writeCsv } from '#core/csv.ts'
import { lettersAndDigitsOf } from '#core/foreign-files.ts'
import type { Resource } from '#resources/resource.ts'
import { pathsIn } from '#src/cli/fields.ts'
import { writeAtomically } from '#src/cli/files.ts'
import { formatCount, jsonLine, print, printNote } from '#src/cli/output.ts'
import type { ImportFlags } from './import-flags.ts'
import { plannedIn } from './import-progress.ts'

/** A refused row with its faults, which never hold the value of a secret. */
export interface RefusedRow extends Pick<ImportRow, 'line'> {
  readonly faults: readonly Pick<ImportRow['faults'][number], 'field' | 'code' | 'message' | 'value'>[]
}

type Rows<T> = AsyncIterable<T> | Iterable<T>

const maxShown = 20

/** Shows the first refused rows, and writes all of them to the report. */
export const printRefused = async (rows: Rows<RefusedRow>, report: string | undefined) => {
  let count = 0
  async function* lines() {
    for await (const { line, faults } of rows) {
      if (count++ < maxShown)
        for (const { field, value, message } of faults)
          printNote(`Line ${line}: ${describeCell(field, value)}${message}`)
      else if (report === undefined) return printNote('There are more: --report writes them all to a file.')
      yield `${JSON.stringify({ line, faults })}\n`
    }
  }
  if (report === undefined) await Array.fromAsync(lines())
  else await writeAtomically(report, (file) => pipeline(Readable.from(lines()), createWriteStream(file)))
}

/** Writes the generated passwords to a file that only its owner may read. */
export const writePasswords = async (passwords: AsyncIterable<ImportPassword>, file: string) => {
  let count = 0
  async function* lines() {
    yield writeCsv(['signId', 'lastName', 'firstName', 'password'])
    for await (const { signId, lastName, firstName, password } of passwords) {
      count++
      yield writeCsv([signId, lastName, firstName, password].map(escapeFormula))
    }
  }
  await writeAtomically(file, (unfinished) => pipeline(Readable.from(lines()), createWriteStream(unfinished)))
  printNote(
    `${file} has ${formatCount(count)} passwords. Give each member only their own, then delete the file.`,
  )
}

const describeCell = (field: string | null | undefined, value: string | null | undefined) => {
  if (field == null) return ''
  return value == null ? `${field}: ` : `${field} (${value}): `
}

export const printChanges = async (rows: AsyncIterable<ImportRow>) => {
  let count = 0
  for await (const { line, record } of rows) {
    if (count++ === maxShown) return printNote('More rows change records.')
    const changes = record.map(({ field, value, before }) => `${field}: ${before ?? '–'} → ${value ?? '–'}`)
    printNote(`Line ${line} changes ${changes.join('; ')}`)
  }
}

/** Names the columns that are left out, except those that --map leaves out. */
export const printIgnoredColumns = ({ columns }: Import, { map }: ImportFlags, { fileSchema }: Resource) => {
  const ignored = columns.flatMap(({ field, heading }) => (field === null && heading ? [heading] : []))
  const unnamed = ignored.filter((one) => !map.some(([letters]) => letters === lettersAndDigitsOf(one)))
  const knownFields = pathsIn(fileSchema, () => true)
  const { exact, others } = Object.groupBy(unnamed, (one) => (knownFields.includes(one) ? 'exact' : 'others'))
  if (exact?.length) printNote(`Only --exact copies ${exact.join(', ')}, into a database.`)
  if (others?.length && unnamed.length < columns.length)
    printNote(`Left out: ${others.join(', ')}. To import one, use --map "${others[0]}=field".`)
}

/** Describes the choices that an import still needs, each with its flag. */
export const describeOpenChoices = async ({ open, columns }: Import, refused: AsyncIterable<ImportRow>) => {
  const sentences: Readonly<Record<string, () => string | Promise<string>>> = {
    columns: () =>
      `No column of the file was recognised: use --map "Heading=field". The headings are ${columns.map(({ heading }) => heading).join(', ')}.`,
    dates: async () =>
      `Dates such as ${await ambiguousDate(refused)} can be read in two ways. Choose their order: --date dmy, mdy or ymd.`,
    passwords: () =>
      'The file has no passwords. Add the members without one by --passwords none, or with generated ones by --passwords generate --passwords-to FILE.',
  }
  const descriptions = open.map((name) => sentences[name]?.() ?? `${name} must be chosen in the console.`)
  return (await Promise.all(descriptions)).join('\n')
}

const ambiguousDate = async (refused: AsyncIterable<ImportRow>) => {
  for await (const { faults } of refused)
    for (const { code, value } of faults) if (code === 'OpenDate') return value ?? ''
  return '3/2/1985'
}

export const printOutcome = async (ended: Import, { dryRun, report, json }: ImportFlags, plural: string) => {
  const { counts, importId } = ended
  const { new: added, changed, deleted = 0, unchanged, refused } = counts
  if (json) {
    const written = dryRun ? plannedIn(counts) : counts.applied
    return print(
      jsonLine({ importId, written, refused, skipped: unchanged, new: added, changed, deleted, report }),
    )
  }
  const phrases = [
    `${formatCount(added)} new`,
    `${formatCount(changed)} changed`,
    ...(deleted > 0 ? [`${formatCount(deleted)} deleted`] : []),
    `${formatCount(unchanged)} unchanged`,
    `${formatCount(refused)} refused`,
  ]
  const unwritten = plannedIn(counts) - counts.applied
  await print(`${phrases.join(', ')}${dryRun ? '; nothing is written' : ''}.`)
  if (dryRun) return
  if (ended.state === 'done' && counts.applied > 0)
    printNote(`\`rollcall import ${plural} --undo ${importId}\` undoes it.`)
  if (ended.reason != null) printNote(ended.reason)
  if (ended.state !== 'done')
    printNote(
      `${formatCount(unwritten)} rows are not written: \`rollcall import ${plural} --continue ${importId}\` writes them.`,
    )
}
