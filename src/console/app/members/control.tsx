import { Field } from '#console/app/ui/field.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import type { DraftField } from './draft.ts'

interface ControlParts {
  readonly name: DraftField
  readonly value: string
  readonly error: string | undefined
  readonly onType: (text: string) => void
}

interface Look {
  readonly type?: 'text' | 'email' | 'tel' | 'date' | 'password'
  readonly autocomplete?: string
  readonly isOptional?: boolean
  readonly hint?: 'signId' | 'password'
}

const looks: Readonly<Record<Exclude<DraftField, 'genderCode'>, Look>> = {
  firstName: { autocomplete: 'off' },
  lastName: { autocomplete: 'off' },
  dateOfBirth: { type: 'date' },
  emailAddress: { type: 'email', autocomplete: 'off' },
  telephoneNumber: { type: 'tel', autocomplete: 'off', isOptional: true },
  zipCode: { autocomplete: 'off', isOptional: true },
  address: { autocomplete: 'off', isOptional: true },
  'credential.signId': { autocomplete: 'off', isOptional: true, hint: 'signId' },
  'credential.password': { type: 'password', autocomplete: 'new-password', hint: 'password' },
}

/** The control that fits a field of a member. */
export const DraftControl = ({ name, value, error, onType }: ControlParts) => {
  const { members: words } = useWords()
  if (name === 'genderCode') return <Gender value={value} error={error} onType={onType} />
  const { type = 'text', autocomplete = 'off', isOptional, hint } = looks[name]
  return (
    <Field
      label={words.fields[name]}
      {...(isOptional && { note: words.optional })}
      {...(hint && { hint: words.hints[hint] })}
      error={error}
    >
      {(attached) => (
        <input
          {...attached}
          {...({ type } as { type: 'text' })}
          class="input"
          name={name}
          autocomplete={autocomplete}
          value={value}
          onInput={(event) => onType(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}

const Gender = ({ value, error, onType }: Omit<ControlParts, 'name'>) => {
  const { members: words } = useWords()
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {words.fields.genderCode}
      </span>
      <Segments
        label={words.fields.genderCode}
        segments={(['2', '1', '0'] as const).map((code) => ({ value: code, label: words.genders[code] }))}
        value={value as '0'}
        onChoose={onType}
      />
      {error && <p class="field-error">{error}</p>}
    </div>
  )
}
