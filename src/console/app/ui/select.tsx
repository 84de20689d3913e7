import { Field, type FieldTexts } from './text-field.tsx'

interface ChoicesParts {
  readonly value: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly isRequired?: boolean
  readonly isLocked?: boolean
  readonly onChoose: (value: string) => void
}

export const Select = (parts: FieldTexts & ChoicesParts) => (
  <Field {...parts}>{(attached) => <Choices {...parts} attached={attached} />}</Field>
)

/** A select without a label, for use where a label is shown already. `attached` are further attributes. */
export const Choices = (parts: ChoicesParts & { readonly attached?: object }) => (
  <select
    {...parts.attached}
    class="input"
    aria-required={parts.isRequired}
    value={parts.value}
    disabled={parts.isLocked}
    onChange={({ currentTarget }) => parts.onChoose(currentTarget.value)}
  >
    {parts.choices.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
)
