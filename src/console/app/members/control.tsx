import { useId } from 'preact/hooks'
import { Segments } from '#console/app/ui/segments.tsx'
import { TextField } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import type { DraftField } from './draft.ts'
import { type InputAttributes, profile } from './fields.ts'

interface ControlParts {
  readonly name: DraftField
  readonly value: string
  readonly error: string | undefined
  readonly isLocked: boolean
  readonly onType: (text: string) => void
}

const inputs: Readonly<Record<DraftField, InputAttributes>> = {
  ...profile,
  'credential.signId': { isOptional: true, hint: 'signId' },
  'credential.password': { type: 'password', autocomplete: 'new-password', hint: 'password' },
}

/** The control that fits a field of a member. */
export const DraftControl = (parts: ControlParts) => {
  const { name, value, error, isLocked, onType } = parts
  const { members: words } = useWords()
  if (name === 'genderCode') return <Gender {...parts} />
  const { isOptional, hint, type, autocomplete } = inputs[name]
  return (
    <TextField
      label={words.fields[name]}
      {...(isOptional && { note: words.optional })}
      {...(hint && { hint: words.hints[hint] })}
      name={name}
      {...(type && { type })}
      {...(autocomplete && { autocomplete })}
      isRequired={!isOptional}
      value={value}
      onType={onType}
      error={error}
      isLocked={isLocked}
    />
  )
}

const Gender = ({ value, error, isLocked, onType }: ControlParts) => {
  const { members: words } = useWords()
  const id = useId()
  return (
    <div class="field">
      <span class="field-label" aria-hidden="true">
        {words.fields.genderCode}
      </span>
      <Segments
        label={words.fields.genderCode}
        segments={(['2', '1', '0'] as const).map((code) => ({ value: code, label: words.genders[code] }))}
        value={value as '0'}
        errorId={error && id}
        isRequired
        isLocked={isLocked}
        onChoose={onType}
      />
      {error && (
        <p class="field-error" id={id}>
          {error}
        </p>
      )}
    </div>
  )
}
