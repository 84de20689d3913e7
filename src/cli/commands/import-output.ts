import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Import, ImportPassword, ImportRow } from '#client/types.ts'
import { defused, writeCsv } from '#core/csv.ts'
import { lettersOf } from '#core/foreign.ts'
import type { Resource } from '#resources/resource.ts'
import { fieldsIn } from '#src/cli/fields.ts'
import { writeAtomically } from '#src/cli/files.ts'
import { jsonLine, note, print, withSeparators } from '#src/cli/output.ts'
import type { ImportFlags } from './import-flags.ts'
import { planned } from './import-progress.ts'

/** A line about a refused row, never with the value of a secret. */
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
          note(`Line ${line}: ${subject(field, value)}${message}`)
      else if (report === undefined) return note('There are more: --report writes all of them to a file.')
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
      yield writeCsv([signId, lastName, firstName, password].map(defused))
    }
  }
  await writeAtomically(file, (unfinished) => pipeline(Readable.from(lines()), createWriteStream(unfinished)))
  note(
    `${file} has ${withSeparators(count)} passwords. Give each member only their own, then delete the file.`,
  )
}

const subject = (field: string | null | undefined, value: string | null | undefined) => {
  if (field == null) return ''
  return value == null ? `${field}: ` : `${field} (${value}): `
}

export const printChanged = async (rows: AsyncIterable<ImportRow>) => {
  let count = 0
  for await (const { line, record } of rows) {
    if (count++ === maxShown) return note('More rows change records.')
    const changes = record.map(({ field, value, before }) => `${field}: ${before ?? '–'} → ${value ?? '–'}`)
    note(`Line ${line} changes ${changes.join('; ')}`)
  }
}

/** Names the columns that are left out, unless --map chose so. */
export const printLeftOut = ({ columns }: Import, { map }: ImportFlags, { fileSchema }: Resource) => {
  const left = columns.flatMap(({ field, heading }) => (field === null && heading ? [heading] : []))
  const unnamed = left.filter((heading) => !map.some(([letters]) => letters === lettersOf(heading)))
  const own = fieldsIn(fileSchema, () => true)
  const [exact, others] = [true, false].map((is) => unnamed.filter((one) => own.includes(one) === is))
  if (exact?.length) note(`Only --exact copies ${exact.join(', ')}, into a database.`)
  if (others?.length && unnamed.length < columns.length)
    note(`Left out: ${others.join(', ')}. To import one, use --map "${others[0]}=field".`)
}

/** The choices that an import still needs, each with its flag. */
export const questionsOf = async ({ open, columns }: Import, refused: AsyncIterable<ImportRow>) => {
  const sentences: Readonly<Record<string, () => string | Promise<string>>> = {
    columns: () =>
      `No column of the file was recognised: use --map "Heading=field". The headings are ${columns.map(({ heading }) => heading).join(', ')}.`,
    dates: async () =>
      `Dates such as ${await openDate(refused)} can be read in two ways. Choose their order: --date dmy, mdy or ymd.`,
    passwords: () =>
      'The file has no passwords. Add the members without one by --passwords none, or with generated ones by --passwords generate --passwords-to FILE.',
  }
  const asked = open.map((name) => sentences[name]?.() ?? `${name} must be chosen in the console.`)
  return (await Promise.all(asked)).join('\n')
}

const openDate = async (refused: AsyncIterable<ImportRow>) => {
  for await (const { faults } of refused)
    for (const { code, value } of faults) if (code === 'OpenDate') return value ?? ''
  return '3/2/1985'
}

/** Prints the outcome of an import, or of a dry run. */
export const printOutcome = async (one: Import, { dryRun, report, json }: ImportFlags, plural: string) => {
  const { counts, importId } = one
  const { new: added, changed, deleted = 0, unchanged, refused } = counts
  if (json) {
    const written = dryRun ? planned(counts) : counts.applied
    return print(
      jsonLine({ importId, written, refused, skipped: unchanged, new: added, changed, deleted, report }),
    )
  }
  const parts = [
    `${withSeparators(added)} new`,
    `${withSeparators(changed)} changed`,
    ...(deleted > 0 ? [`${withSeparators(deleted)} deleted`] : []),
    `${withSeparators(unchanged)} unchanged`,
    `${withSeparators(refused)} refused`,
  ]
  const left = planned(counts) - counts.applied
  await print(`${parts.join(', ')}${dryRun ? '; nothing is written' : ''}.`)
  if (dryRun) return
  if (one.state === 'done' && counts.applied > 0)
    note(`\`rollcall import ${plural} --undo ${importId}\` undoes it.`)
  if (one.reason != null) note(one.reason)
  if (one.state !== 'done')
    note(
      `${withSeparators(left)} rows are not written: \`rollcall import ${plural} --continue ${importId}\` writes them.`,
    )
}
