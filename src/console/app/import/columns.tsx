import type { Field } from '#console/app/records/field.ts'
import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { Select } from '#console/app/ui/select.tsx'
import { isolated } from '#console/app/words/visible.ts'
import { encodings } from '#core/foreign.ts'
import { type Choice, type Import, importableAs } from './imports.ts'
import { useImportWords } from './words.ts'

interface ChoicesParts {
  readonly one: Import
  readonly onChange: (choice: Choice) => void
}

/** How the file is understood. It is open if something is still to be chosen. */
export const ColumnChoices = ({ one, onChange }: ChoicesParts) => {
  const words = useImportWords()
  const fields = importableAs(one.resource)?.fields ?? []
  const choose = (at: number, field: string | null) => {
    const columns = one.columns.map((column, other) => {
      if (other === at) return { field }
      return { field: column.field === field ? null : column.field }
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
      <ul>
        {one.columns.map((column, at) => (
          <li key={at}>
            <label>
              <strong dir="auto">{isolated(column.heading ?? '')}</strong>
              <span class="faint" dir="auto">
                {column.samples.join(words.comma)}
              </span>
              <select
                class="input"
                value={column.field ?? ''}
                onChange={({ currentTarget }) => choose(at, currentTarget.value || null)}
              >
                <option value="">{words.leaveOut}</option>
                {fields.map(({ name, label }) => (
                  <option key={name} value={name}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
          </li>
        ))}
      </ul>
      <OptionChoices one={one} fields={fields} onChoose={(options) => onChange({ options })} />
    </details>
  )
}

interface OptionParts {
  readonly one: Import
  readonly fields: readonly Field[]
  readonly onChoose: (options: NonNullable<Choice['options']>) => void
}

const OptionChoices = ({ one: { options, open, columns, resource }, fields, onChoose }: OptionParts) => {
  const words = useImportWords()
  const automatic = { value: '', label: words.automatic }
  const mapped = fields.filter(({ name }) => columns.some(({ field }) => field === name))
  return (
    <div class="row import-choices">
      <SegmentsField
        label={words.options.existing}
        segments={segmentsOf(words.existing)}
        value={options.existing as keyof typeof words.existing}
        onChoose={(existing) => onChoose({ existing })}
      />
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
      <Select
        label={words.options.encoding}
        value={options.encoding ?? ''}
        choices={[automatic, ...encodings.map((one) => ({ value: one, label: one }))]}
        onChoose={(name) => onChoose({ encoding: encodings.find((one) => one === name) ?? null })}
      />
    </div>
  )
}
