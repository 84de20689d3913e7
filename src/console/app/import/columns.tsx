import type { Field } from '#console/app/records/field.ts'
import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { Select } from '#console/app/ui/select.tsx'
import { isolate } from '#console/app/words/visible.ts'
import { encodings } from '#core/foreign.ts'
import { type Choice, type Import, importableAs } from './imports.ts'
import { importWords } from './words.ts'

interface ChoicesParts {
  readonly one: Import
  readonly onChange: (choice: Choice) => void
}

/** The columns and options of the file. Open if the user still has to choose something. */
export const ColumnChoices = ({ one, onChange }: ChoicesParts) => {
  const words = importWords()
  const fields = importableAs(one.resource)?.fields ?? []
  const isNamed = fields.some(({ name }) => name === 'lastName')
  const choices = [
    ...fields.map(({ name, label }) => ({ value: name, label })),
    ...(isNamed ? segmentsOf(words.fullNames) : []),
  ]
  const choose = (at: number, field: string | null) => {
    const columns = one.columns.map((column, other) => {
      if (other === at) return { field }
      const isMoved = column.field === field && fields.find(({ name }) => name === field)?.kind !== 'text'
      return { field: isMoved ? null : column.field }
    })
    onChange({ columns })
  }
  return (
    <details class="sheet sheet-padded import-columns" open={one.open.length > 0}>
      <summary>{words.columns}</summary>
      {one.open.map((name) => (
        <p class="field-error" role="alert" key={name}>
          {words.open[name as keyof typeof words.open] ?? name}
        </p>
      ))}
      <OptionChoices one={one} fields={fields} onChoose={(options) => onChange({ options })} />
      <p class="faint">{words.joined}</p>
      <ul>
        {one.columns.map((column, at) => (
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

interface OptionParts {
  readonly one: Import
  readonly fields: readonly Field[]
  readonly onChoose: (options: NonNullable<Choice['options']>) => void
}

const OptionChoices = ({ one, fields, onChoose }: OptionParts) => {
  const { options, open, columns, resource, sheets, identities } = one
  const words = importWords()
  const automatic = { value: '', label: words.automatic }
  const mapped = fields.filter(
    ({ name }) => identities.includes(name) && columns.some(({ field }) => field === name),
  )
  return (
    <div class="row import-choices">
      {options.existing in words.existing && (
        <SegmentsField
          label={words.options.existing}
          segments={segmentsOf(words.existing)}
          value={options.existing as keyof typeof words.existing}
          onChoose={(existing) => onChoose({ existing })}
        />
      )}
      <Select
        label={words.options.match}
        value={options.match ?? ''}
        choices={[automatic, ...mapped.map(({ name, label }) => ({ value: name, label }))]}
        onChoose={(match) => onChoose({ match: match || null })}
      />
      {(options.dates !== null || open.includes('dates')) && (
        <SegmentsField
          label={words.options.dates}
          segments={segmentsOf(words.dates)}
          value={(options.dates ?? '') as keyof typeof words.dates}
          onChoose={(dates) => onChoose({ dates })}
        />
      )}
      {resource === 'member' && (
        <SegmentsField
          label={words.options.passwords}
          segments={segmentsOf(words.passwords)}
          value={options.passwords as keyof typeof words.passwords}
          onChoose={(passwords) => onChoose({ passwords })}
        />
      )}
      {sheets.length > 1 && (
        <Select
          label={words.options.sheet}
          value={options.sheet ?? ''}
          choices={[automatic, ...sheets.map((name) => ({ value: name, label: name }))]}
          onChoose={(sheet) => onChoose({ sheet: sheet || null })}
        />
      )}
      <Select
        label={words.options.header}
        value={`${options.header ?? ''}`}
        choices={[automatic, ...headerLines.map((line) => ({ value: `${line}`, label: words.header(line) }))]}
        onChoose={(line) => onChoose({ header: line === '' ? null : Number(line) })}
      />
      <Select
        label={words.options.encoding}
        value={options.encoding ?? ''}
        choices={[automatic, ...encodings.map((one) => ({ value: one, label: one }))]}
        onChoose={(name) => onChoose({ encoding: encodings.find((one) => one === name) ?? null })}
      />
    </div>
  )
}

/** The choices for the line of the headings. 0 means that the file has no headings. */
const headerLines = Array.from({ length: 11 }, (_, line) => line)
