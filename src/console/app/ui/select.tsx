import { Field, type FieldTexts } from './text-field.tsx'

interface SelectParts extends FieldTexts {
  readonly value: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly isRequired?: boolean
  readonly isLocked?: boolean
  readonly onChoose: (value: string) => void
}

export const Select = ({ value, choices, isRequired, isLocked, onChoose, ...about }: SelectParts) => (
  <Field {...about}>
    {(attached) => (
      <select
        {...attached}
        class="input"
        aria-required={isRequired}
        value={value}
        disabled={isLocked}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    )}
  </Field>
)
