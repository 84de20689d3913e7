import type { Field } from '#console/app/records/kind.ts'
import { Select } from '#console/app/ui/fields.tsx'
import { optionsOf, SegmentsField } from '#console/app/ui/segments.tsx'
import { isolate } from '#console/app/words/visible.ts'
import { encodings } from '#core/foreign-files.ts'
import { type Choice, type Import, importableNamed } from './imports.ts'
import { importWords } from './words.ts'

/** The columns and options of the file. Unfolded while the user has to choose something. */
export const ColumnChoices = ({ job, onChange }: { job: Import; onChange: (choice: Choice) => void }) => {
  const words = importWords()
  const fields = importableNamed(job.resource)?.fields ?? []
  const hasFullNames = fields.some(({ name }) => name === 'lastName')
  const choices = [
    ...fields.map(({ name, label }) => ({ value: name, label })),
    ...(hasFullNames ? optionsOf(words.fullNames) : []),
  ]
  const choose = (at: number, field: string | null) => {
    const columns = job.columns.map((column, other) => {
      if (other === at) return { field }
      // Only a text can have several columns, which are joined. Any other field moves to the new column.
      const isMoved = column.field === field && fields.find(({ name }) => name === field)?.kind !== 'text'
      return { field: isMoved ? null : column.field }
    })
    onChange({ columns })
  }
  return (
    <details class="sheet sheet-padded import-columns" open={job.open.length > 0}>
      <summary>{words.columns}</summary>
      {job.open.map((name) => (
        <p class="field-error" role="alert" key={name}>
          {words.open[name as keyof typeof words.open] ?? name}
        </p>
      ))}
      <OptionChoices job={job} fields={fields} onChoose={(options) => onChange({ options })} />
      <p class="faint">{words.joined}</p>
      <ul>
        {job.columns.map((column, at) => (
          <li key={at}>
            <label>
              <strong dir="auto">{isolate(column.heading ?? '')}</strong>
              <span class="faint" dir="auto">
                {column.samples.join(words.comma)}
              </span>
              <select
                class="input"
                value={column.field ?? ''}
                onChange={({ currentTarget }) => choose(at, currentTarget.value || null)}
              >
                <option value="">{words.leaveOut}</option>
                {choices.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface OptionProps {
  readonly job: Import
  readonly fields: readonly Field[]
  readonly onChoose: (options: NonNullable<Choice['options']>) => void
}

const OptionChoices = ({ job, fields, onChoose }: OptionProps) => {
  const { options, open, columns, resource, sheets, identities } = job
  const words = importWords()
  const matchFields = fields.filter(
    ({ name }) => identities.includes(name) && columns.some(({ field }) => field === name),
  )
  const choices = {
    match: matchFields.map(({ name, label }) => ({ value: name, label })),
    sheet: sheets.map((name) => ({ value: name, label: name })),
    header: headerLines.map((line) => ({ value: `${line}`, label: words.header(line) })),
    encoding: encodings.map((name) => ({ value: name, label: name })),
  }
  const select = (name: keyof typeof choices) => (
    <Select
      label={words.options[name]}
      value={String(options[name] ?? '')}
      choices={[{ value: '', label: words.automatic }, ...choices[name]]}
      onChoose={(text) => onChoose({ [name]: name === 'header' && text ? Number(text) : text || null })}
    />
  )
  const segments = (name: 'existing' | 'dates' | 'passwords') => (
    <SegmentsField
      label={words.options[name]}
      segments={optionsOf<Readonly<Record<string, string>>>(words[name])}
      value={options[name] ?? ''}
      onChoose={(chosen) => onChoose({ [name]: chosen })}
    />
  )
  return (
    <div class="row import-choices">
      {options.existing in words.existing && segments('existing')}
      {select('match')}
      {(options.dates !== null || open.includes('dates')) && segments('dates')}
      {resource === 'member' && segments('passwords')}
      {sheets.length > 1 && select('sheet')}
      {select('header')}
      {select('encoding')}
    </div>
  )
}

/** The lines that may have the headings. 0 means that the file has no headings. */
const headerLines = Array.from({ length: 11 }, (_, line) => line)
