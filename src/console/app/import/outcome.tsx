import { useState } from 'preact/hooks'
import type { Fault } from '#console/app/api/failure.ts'
import { Control } from '#console/app/records/form.tsx'
import type { Field } from '#console/app/records/kind.ts'
import { nameText } from '#console/app/records/names.ts'
import { useName } from '#console/app/records/value.tsx'
import { Button } from '#console/app/ui/button.tsx'
import { useWords } from '#console/app/words/index.ts'
import { closeControls, faultText } from '#console/app/words/visible.ts'
import type { Correction, Import, ImportRow } from './imports.ts'
import { importWords } from './words.ts'

export interface RowProps {
  readonly row: ImportRow
  readonly job: Import
  readonly fields: readonly Field[]
  readonly onCorrect: (correction: Correction) => Promise<void>
}

/** The faults of a refused row, or what the row adds, changes or deletes. */
export const RowOutcome = ({ row, job, fields, onCorrect }: RowProps) => {
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
            {fault.field !== null && !row.isApplied && !isUndone(job) && !needsChoice(fault, job) && (
              <CorrectionForm
                row={row}
                fault={fault}
                fields={fields}
                onCorrect={onCorrect}
                field={fault.field}
              />
            )}
          </li>
        ))}
      </ul>
    )
  if (row.outcome === 'unchanged') return <>{words.same}</>
  if (row.outcome === 'new') return <>{row.isApplied ? words.added : job.state !== 'undone' && words.adds}</>
  if (row.outcome === 'deleted')
    return <>{row.isApplied ? words.deleted : job.state !== 'undone' && words.deletes}</>
  return (
    <ul>
      {row.record
        .filter(({ value, before }) => value !== before)
        .map(({ field, value, before }) => (
          <li key={field} dir="auto">
            <ChangedValue
              label={labelOf(field)}
              field={fields.find(({ name }) => name === field)}
              before={before}
              value={value}
            />
          </li>
        ))}
    </ul>
  )
}

const isUndone = ({ state }: Import) => state === 'undoing' || state === 'undone'

/** True if the page asks for a choice that removes this fault in all rows. */
const needsChoice = ({ field, code }: ImportRow['faults'][number], { open }: Import) =>
  open.includes(code === 'OpenDate' ? 'dates' : field === 'credential.password' ? 'passwords' : '')

interface ChangedValueProps extends Pick<ImportRow['record'][number], 'value' | 'before'> {
  readonly label: string
  readonly field: Field | undefined
}

const ChangedValue = ({ label, field, before, value }: ChangedValueProps) => (
  <>{importWords().became(label, useShownText(field, before), useShownText(field, value))}</>
)

/** A value as the page shows it: a name, the label of a code, or the text itself. */
const useShownText = (field: Field | undefined, value: string | null) => {
  const { noValue } = importWords()
  const words = useWords()
  const { value: named } = useName(field?.of ?? '', (field?.of && value) || '')
  if (value === null || value === '') return noValue
  return field?.of ? nameText(value, named, words) : (field?.texts?.[value] ?? closeControls(value))
}

interface CorrectionProps extends Omit<RowProps, 'job'> {
  readonly field: string
  readonly fault: ImportRow['faults'][number]
}

/** A field for another value in place of a refused one: in this row, or in all rows with the same value. */
const CorrectionForm = ({ row, fields, field: name, fault, onCorrect }: CorrectionProps) => {
  const words = importWords()
  const field = fields.find((one) => one.name === name)
  const [typed, setTyped] = useState((!field?.of && fault.value) || '')
  if (!field) return null
  const send = (isForAll: boolean) => {
    const to = typed === '' ? null : typed
    if (to !== fault.value) void onCorrect({ line: row.line, field: name, from: fault.value, to, isForAll })
  }
  return (
    <form
      class="row import-correction"
      onSubmit={(event) => {
        event.preventDefault()
        send(false)
      }}
    >
      <Control
        field={{ ...field, isOptional: field.kind === 'flag', label: words.otherValue(field.label) }}
        value={typed}
        isLocked={false}
        onType={setTyped}
      />
      <Button text={words.correct} kind="small" isSubmit />
      {(fault.value !== null || fault.code === 'NotNull') && field.kind !== 'password' && (
        <Button
          text={fault.value === null ? words.fillAll : words.correctAll}
          kind="small quiet"
          onClick={() => send(true)}
        />
      )}
    </form>
  )
}
