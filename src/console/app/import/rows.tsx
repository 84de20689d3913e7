import { useState } from 'preact/hooks'
import type { Field } from '#console/app/records/kind.ts'
import { nameText } from '#console/app/records/names.ts'
import { Pager } from '#console/app/records/pager.tsx'
import { useName } from '#console/app/records/value.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { locale } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Failed } from '#console/app/ui/message.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { formatNumber, useWords } from '#console/app/words/index.ts'
import { closeControls } from '#console/app/words/visible.ts'
import { fullNameOf } from '#core/display.ts'
import { outcomes } from '#resources/import/schema.ts'
import {
  bulkChangeOf,
  type Correction,
  type Import,
  type ImportRow,
  importableNamed,
  type Outcome,
  readRows,
} from './imports.ts'
import { RowOutcome, type RowProps } from './outcome.tsx'
import { importWords } from './words.ts'

interface RowsProps {
  readonly job: Import
  /** A new value makes the rows load again. */
  readonly reloadKey: string
  readonly onCorrect: (correction: Correction) => Promise<void>
}

/** The rows with their outcomes. Refused rows can be corrected here. */
export const Rows = ({ job, reloadKey, onCorrect }: RowsProps) => {
  const words = importWords()
  const { importId: id, counts, resource } = job
  const [{ outcome, page }, setFilter] = useState<RowFilter>({
    outcome: counts.refused > 0 ? 'refused' : 'all',
    page: 0,
  })
  const {
    value: found,
    failure,
    reload,
  } = useLoad(`rows ${id} ${outcome} ${page} ${reloadKey}`, (options) =>
    readRows({ id, page, outcome: outcome === 'all' ? undefined : outcome }, options),
  )
  const { fields = [], plural = '' } = importableNamed(resource) ?? {}
  const numbers = { all: counts.rows, ...counts }
  return (
    <section class="sheet sheet-padded import-part stack">
      <header class="head">
        <h2>{words.rows}</h2>
        <Segments<RowFilter['outcome']>
          label={words.rows}
          segments={(['all', ...outcomes] as const).map((value) => ({
            value,
            label: value === 'all' ? words.all : words.outcomes[value],
            count: formatNumber(numbers[value]),
          }))}
          value={outcome}
          onChoose={(outcome) => setFilter({ outcome, page: 0 })}
        />
      </header>
      {outcome === 'refused' && counts.refused > 0 && <p class="faint">{words.refusedNote}</p>}
      {failure && <Failed failure={failure} onRetry={reload} />}
      {found && found.value.content.length === 0 && <p>{words.noRows}</p>}
      {found && found.value.content.length > 0 && (
        <table class="refusals plain-table">
          <caption class="unseen">{words.rows}</caption>
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              <th scope="col">{words.record}</th>
              <th scope="col">{words.what}</th>
            </tr>
          </thead>
          <tbody>
            {found.value.content.map((row) => (
              <tr key={row.line}>
                <th scope="row">{row.line}</th>
                <td dir="auto">
                  {row.isApplied && row.recordId !== null ? (
                    <a href={hrefTo(`${plural}/${row.recordId}${resource === 'todo' ? '/history' : ''}`)}>
                      <Summary row={row} job={job} fields={fields} />
                    </a>
                  ) : (
                    <Summary row={row} job={job} fields={fields} />
                  )}
                </td>
                <td>
                  <RowOutcome row={row} job={job} fields={fields} onCorrect={onCorrect} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found && found.value.totalPages > 1 && (
        <Pager page={found.value} chosenPage={page} onTurn={({ page }) => setFilter({ outcome, page })} />
      )}
    </section>
  )
}

interface RowFilter {
  readonly outcome: Outcome | 'all'
  readonly page: number
}

const maxSummaryTexts = 3

/** A row of a bulk change has only the changed values, so the name of its record is shown. */
const Summary = ({ row, job, fields }: Omit<RowProps, 'onCorrect'>) =>
  bulkChangeOf(job) && row.recordId !== null && row.outcome !== 'deleted' ? (
    <RecordName resource={job.resource} id={row.recordId} />
  ) : (
    summaryOf(row, fields)
  )

const RecordName = ({ resource, id }: { readonly resource: string; readonly id: string }) => {
  const { value } = useName(resource, id)
  return <>{nameText(id, value, useWords())}</>
}

/** The first texts of a row, because a row is hard to find in a spreadsheet by its line number alone. */
const summaryOf = ({ record, outcome }: ImportRow, fields: readonly Field[]) => {
  const shown = record.map((one) => (outcome === 'deleted' ? { ...one, value: one.before } : one))
  const texts = shown.filter(({ field, value }) => {
    const mapped = fields.find(({ name }) => name === field)
    return value !== null && mapped && mapped.kind !== 'id' && !mapped.of && !mapped.texts
  })
  const [first, last] = nameParts.map((part) => texts.find(({ field }) => field === part)?.value)
  const others = texts.flatMap(({ field, value }) =>
    nameParts.includes(field) ? [] : closeControls(`${value}`),
  )
  const name = fullNameOf(closeControls(first ?? ''), closeControls(last ?? ''), locale.get()).trim()
  return [...(name ? [name] : []), ...others].slice(0, maxSummaryTexts).join(' ')
}

const nameParts = ['firstName', 'lastName']
