import type { ComponentChildren } from 'preact'
import type { Sending } from '#console/app/state/sending.ts'
import { Failed } from '#console/app/ui/failed.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { SegmentsField, segmentsOf } from '#console/app/ui/segments.tsx'
import { TextField, unreadable } from '#console/app/ui/text-field.tsx'
import { useWords } from '#console/app/words/index.ts'
import type { Draft, DraftField } from './draft.ts'
import { fieldsIn, type InputAttributes, profile } from './fields.ts'
import { inOrder, meaningOf } from './name.ts'

interface FormParts {
  readonly draft: Draft
  readonly sending: Sending
  readonly hasCredential?: boolean
  /** What to say if it may have been saved or not. */
  readonly unanswered: string
  /** What else to say about faults of fields. */
  readonly hint?: string | undefined
  /** Several fields may be filled before the next render. */
  readonly onType: (change: (now: Draft) => Draft) => void
  readonly onSubmit: () => void
  /** The buttons. */
  readonly children: ComponentChildren
}

/** While it is being sent it cannot be changed, since the page is left once it is saved. */
export const MemberForm = (parts: FormParts) => {
  const { draft, sending, hasCredential, unanswered, hint, onSubmit, children } = parts
  const { clearFault, isSending, errors, failure } = sending
  const { members: words } = useWords()
  const control = (name: DraftField) => {
    const { isOptional, hint, type, autocomplete } = inputs[name]
    const label = words.fields[name]
    const value = draft[name]
    const error = errors.has(name) && value === unreadable ? words.noSuchDate : errors.get(name)
    const onType = (text: string) => {
      clearFault(name)
      parts.onType((now) => ({ ...now, [name]: text }))
    }
    if (name !== 'genderCode')
      return (
        <TextField
          key={name}
          {...{ name, label, type, autocomplete, value, error, onType }}
          note={isOptional ? words.optional : undefined}
          hint={hint && words.hints[hint]}
          isRequired={!isOptional}
          isLocked={isSending}
        />
      )
    return (
      <SegmentsField
        key={name}
        {...{ label, error }}
        segments={segmentsOf(words.genders, ['2', '1', '0'])}
        value={value as '0'}
        isRequired
        isLocked={isSending}
        onChoose={onType}
      />
    )
  }
  return (
    <Form sending={sending} onSubmit={onSubmit}>
      <fieldset class="sheet form-section">
        <legend>{words.sections.person}</legend>
        {inOrder(fieldsIn('person')).map(control)}
      </fieldset>
      <fieldset class="sheet form-section">
        <legend>{words.sections.contact}</legend>
        {fieldsIn('contact').map(control)}
      </fieldset>
      {hasCredential && (
        <fieldset class="sheet form-section">
          <legend>{words.sections.access}</legend>
          {control('credential.signId')}
          {control('credential.password')}
        </fieldset>
      )}
      {failure && <Failed failure={failure} what={meaningOf(failure, unanswered, words)} />}
      <p class="field-error form-check" role="alert">
        {!failure && errors.size > 0 && [words.check(errors.size), hint].filter(Boolean).join(' ')}
      </p>
      <div class="actions">{children}</div>
    </Form>
  )
}

const inputs: Readonly<Record<DraftField, InputAttributes>> = {
  ...profile,
  'credential.signId': { isOptional: true, hint: 'signId' },
  'credential.password': { type: 'password', autocomplete: 'new-password', hint: 'password' },
}
