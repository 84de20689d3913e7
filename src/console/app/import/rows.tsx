import { useState } from 'preact/hooks'
import { type Fault, failureOf } from '#console/app/api/failure.ts'
import { Control } from '#console/app/records/form.tsx'
import type { Field } from '#console/app/records/kind.ts'
import { nameText } from '#console/app/records/names.ts'
import { Pager } from '#console/app/records/pager.tsx'
import { useName } from '#console/app/records/value.tsx'
import { useLoad } from '#console/app/state/load.ts'
import { notifyFailure } from '#console/app/state/notes.ts'
import { locale } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { formatNumber, useWords } from '#console/app/words/index.ts'
import { closeControls, faultText } from '#console/app/words/visible.ts'
import { fullNameOf } from '#core/display.ts'
import { outcomes } from '#resources/import/schema.ts'
import {
  changeOf,
  correctRow,
  type Import,
  type ImportRow,
  importableAs,
  type Outcome,
  readRows,
} from './imports.ts'
import { importWords } from './words.ts'

interface RowsParts {
  readonly one: Import
  /** A new value makes the rows load again. */
  readonly turn: string
  readonly onCorrected: () => void
}

/** The rows with their outcomes. Refused rows can be corrected here. */
export const Rows = ({ one, turn, onCorrected }: RowsParts) => {
  const words = importWords()
  const { importId: id, counts, resource } = one
  const [{ outcome, page }, look] = useState<RowFilter>({
    outcome: counts.refused > 0 ? 'refused' : 'all',
    page: 0,
  })
  const {
    value: found,
    failure,
    reload,
  } = useLoad(`rows ${id} ${outcome} ${page} ${turn}`, (options) =>
    readRows({ id, page, outcome: outcome === 'all' ? undefined : outcome }, options),
  )
  const { fields = [], plural = '' } = importableAs(resource) ?? {}
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
          onChoose={(outcome) => look({ outcome, page: 0 })}
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
                      <Summary row={row} one={one} fields={fields} />
                    </a>
                  ) : (
                    <Summary row={row} one={one} fields={fields} />
                  )}
                </td>
                <td>
                  <Outcomes row={row} one={one} fields={fields} onCorrected={onCorrected} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found && found.value.totalPages > 1 && (
        <Pager page={found.value} wanted={page} onTurn={({ page }) => look({ outcome, page })} />
      )}
    </section>
  )
}

interface RowFilter {
  readonly outcome: Outcome | 'all'
  readonly page: number
}

const shownValues = 3

/** The row of a change of many records says only what it changes, so its record is named. */
const Summary = ({ row, one, fields }: Omit<OutcomeParts, 'onCorrected'>) =>
  changeOf(one) && row.recordId !== null && row.outcome !== 'deleted' ? (
    <RecordName resource={one.resource} id={row.recordId} />
  ) : (
    summaryOf(row, fields)
  )

const RecordName = ({ resource, id }: { readonly resource: string; readonly id: string }) => {
  const { value } = useName(resource, id)
  return <>{nameText(id, value, useWords())}</>
}

/** The first texts of a row, because a line number alone is hard to find in a spreadsheet. */
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
  return [...(name ? [name] : []), ...others].slice(0, shownValues).join(' ')
}

const nameParts = ['firstName', 'lastName']

/** Whether the fault disappears once the user makes a choice for all rows. */
const isAsked = ({ field, code }: ImportRow['faults'][number], { open }: Import) =>
  open.includes(code === 'OpenDate' ? 'dates' : field === 'credential.password' ? 'passwords' : '')

interface OutcomeParts {
  readonly row: ImportRow
  readonly one: Import
  readonly fields: readonly Field[]
  readonly onCorrected: () => void
}

const Outcomes = ({ row, one, fields, onCorrected }: OutcomeParts) => {
  const words = importWords()
  const allWords = useWords()
  const labelOf = (name: string) => fields.find((field) => field.name === name)?.label ?? name
  if (row.faults.length > 0)
    return (
      <ul>
        {row.faults.map((fault) => (
          <li key={fault.field ?? fault.code}>
            <p class="field-error">
              {fault.field !== null &&
                words.faultOf(labelOf(fault.field), fault.value && closeControls(fault.value))}
              {words.faults[fault.code as keyof typeof words.faults] ?? faultText(fault as Fault, allWords)}
            </p>
            {fault.field !== null && !row.isApplied && !isAsked(fault, one) && (
              <CorrectionForm {...{ row, one, fault, fields, onCorrected }} field={fault.field} />
            )}
          </li>
        ))}
      </ul>
    )
  if (row.outcome === 'unchanged') return <>{words.same}</>
  if (row.outcome === 'new') return <>{row.isApplied ? words.added : one.state !== 'undone' && words.adds}</>
  if (row.outcome === 'deleted')
    return <>{row.isApplied ? words.deleted : one.state !== 'undone' && words.deletes}</>
  return (
    <ul>
      {row.record
        .filter(({ value, before }) => value !== before)
        .map(({ field, value, before }) => (
          <li key={field} dir="auto">
            <Became
              {...{ label: labelOf(field), field: fields.find(({ name }) => name === field), before, value }}
            />
          </li>
        ))}
    </ul>
  )
}

interface BecameParts extends Pick<ImportRow['record'][number], 'value' | 'before'> {
  readonly label: string
  readonly field: Field | undefined
}

const Became = ({ label, field, before, value }: BecameParts) => (
  <>{importWords().became(label, useShown(field, before), useShown(field, value))}</>
)

/** A value as people read it. */
const useShown = (field: Field | undefined, value: string | null) => {
  const { nothing } = importWords()
  const words = useWords()
  const { value: named } = useName(field?.of ?? '', (field?.of && value) || '')
  if (value === null || value === '') return nothing
  return field?.of ? nameText(value, named, words) : (field?.texts?.[value] ?? closeControls(value))
}

interface CorrectionParts extends OutcomeParts {
  readonly field: string
  readonly fault: ImportRow['faults'][number]
}

/** A field for another value in place of a refused one: in this row, or in all rows with the same value. */
const CorrectionForm = ({ row, one, fields, field: name, fault, onCorrected }: CorrectionParts) => {
  const words = importWords()
  const field = fields.find((one) => one.name === name)
  const [typed, setTyped] = useState((!field?.of && fault.value) || '')
  if (!field) return null
  const send = async (isForAll: boolean) => {
    const to = typed === '' ? null : typed
    if (to === fault.value) return
    try {
      await correctRow(one.importId, { line: row.line, field: name, from: fault.value, to, isForAll })
      onCorrected()
    } catch (error) {
      notifyFailure(words.notMended, failureOf(error))
    }
  }
  return (
    <form
      class="row import-mend"
      onSubmit={(event) => {
        event.preventDefault()
        void send(false)
      }}
    >
      <Control
        field={{ ...field, isOptional: field.kind === 'flag', label: words.better(field.label) }}
        value={typed}
        isLocked={false}
        onType={setTyped}
      />
      <Button text={words.mend} kind="small" isSubmit />
      {(fault.value !== null || fault.code === 'NotNull') && field.kind !== 'password' && (
        <Button
          text={fault.value === null ? words.fillAll : words.mendAll}
          kind="small quiet"
          onClick={() => send(true)}
        />
      )}
    </form>
  )
}
