import type { ComponentChildren } from 'preact'
import { Picker } from '#console/app/declared/picker.tsx'
import type { Sending } from '#console/app/state/sending.ts'
import {
  Checks,
  Field as LabelledField,
  Select,
  TextArea,
  TextField,
  unreadableDateMarker,
} from '#console/app/ui/fields.tsx'
import { Form } from '#console/app/ui/form.tsx'
import { Failed } from '#console/app/ui/message.tsx'
import { SegmentsField } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { type Draft, everyCode } from './draft.ts'
import { choicesOf, type Field, failureText, type Kind, type Section } from './kind.ts'

interface FormProps {
  readonly kind: Kind
  readonly sections: readonly Section[]
  readonly draft: Draft
  readonly sending: Sending
  /** The text to show if the service did not answer, so that the record may or may not have been saved. */
  readonly unansweredText: string
  /** A text to show after the number of faulty fields. */
  readonly hint?: string | undefined
  /** Gets a function, because a password manager may fill several fields before the next render. */
  readonly onType: (change: (now: Draft) => Draft) => void
  readonly onSubmit: () => void
  readonly children: ComponentChildren
}

/** The form of a record. It is locked while it is sent, because the page is left once the record is saved. */
export const RecordForm = (props: FormProps) => {
  const { kind, sections, draft, sending, unansweredText, hint, onSubmit, children } = props
  const { clearFault, isSending, errors, failure } = sending
  const { form: words } = useWords()
  return (
    <Form sending={sending} onSubmit={onSubmit}>
      {sections.map(({ title, fields }) => (
        <fieldset key={title} class="sheet form-section">
          <legend>{title}</legend>
          {fields.map((field) => {
            const { name } = field
            const value = draft[name] ?? ''
            return (
              <Control
                key={name}
                field={field}
                value={value}
                error={
                  errors.has(name) && value === unreadableDateMarker && field.kind !== 'whole'
                    ? words.noSuchDate
                    : errors.get(name)
                }
                isLocked={isSending}
                onType={(text) => {
                  clearFault(name)
                  props.onType((now) => ({ ...now, [name]: text }))
                }}
              />
            )
          })}
        </fieldset>
      ))}
      {failure && <Failed failure={failure} text={failureText(kind, failure, unansweredText)} />}
      <p class="field-error form-check" role="alert">
        {!failure && errors.size > 0 && [words.check(errors.size), hint].filter(Boolean).join(' ')}
      </p>
      <div class="actions">{children}</div>
    </Form>
  )
}

interface ControlProps {
  readonly field: Field
  readonly value: string
  readonly error?: string | undefined
  readonly isLocked: boolean
  readonly isInTable?: boolean
  readonly onType: (text: string) => void
}

/** Fields with more codes than this have a list to choose from, not segments. */
const maxSegments = 4

const inputTypes = {
  email: 'email',
  tel: 'tel',
  password: 'password',
  day: 'date',
  time: 'datetime-local',
  whole: 'number',
} as const

/** The input for a field of this kind. */
export const Control = ({ field, value, error, isLocked, isInTable, onType }: ControlProps) => {
  const { form: words, none } = useWords()
  const { label, hint, isOptional, texts } = field
  const fieldTexts = { label, hint, error, note: isOptional ? words.optional : undefined }
  if (field.of)
    return <Picker {...fieldTexts} resource={field.of} value={value} isLocked={isLocked} onPick={onType} />
  if (field.kind === 'flag' && !isOptional)
    return (
      <LabelledField {...fieldTexts}>
        {(attached) => (
          <input
            {...attached}
            type="checkbox"
            name={field.name}
            checked={value === 'true'}
            aria-disabled={isLocked}
            onClick={(event) => isLocked && event.preventDefault()}
            onChange={({ currentTarget }) => onType(String(currentTarget.checked))}
          />
        )}
      </LabelledField>
    )
  if (field.kind === 'codes')
    return <CodesControl field={field} value={value} error={error} onType={onType} />
  if (field.kind === 'text' && !texts && (value.includes('\n') || (field.isLong && !isInTable)))
    return (
      <TextArea
        {...fieldTexts}
        name={field.name}
        value={value}
        isRequired={!isOptional}
        isLocked={isLocked}
        onType={onType}
      />
    )
  if (!texts)
    return (
      <TextField
        {...fieldTexts}
        name={field.name}
        type={inputTypes[field.kind as keyof typeof inputTypes]}
        autocomplete={field.autocomplete}
        value={value}
        isRequired={!isOptional}
        isLocked={isLocked}
        onType={onType}
      />
    )
  if (!isInTable && !isOptional && choicesOf(field).length <= maxSegments)
    return (
      <SegmentsField
        label={label}
        error={error}
        segments={choicesOf(field)}
        value={value}
        isRequired
        isLocked={isLocked}
        onChoose={onType}
      />
    )
  return (
    <Select
      {...fieldTexts}
      choices={[{ value: '', label: none }, ...choicesOf(field)]}
      value={value}
      isRequired={!isOptional}
      isLocked={isLocked}
      onChoose={onType}
    />
  )
}

/** Checkboxes for a list of codes. While “all” is chosen, no other codes are offered. */
const CodesControl = ({ field, value, error, onType }: Omit<ControlProps, 'isLocked'>) => {
  const { faults } = useWords()
  const { label, all, texts = {}, order = Object.keys(texts) } = field
  const chosen = value.split(' ').filter(Boolean)
  const unknown = chosen.filter((code) => code !== everyCode && !order.includes(code))
  const groups = field.groups ?? [['', [...order, ...unknown]]]
  const choices = groups.map(
    ([heading, codes]) => [heading, codes.map((code) => [code, texts[code] ?? code] as const)] as const,
  )
  const allGroup = all ? [['', [[everyCode, all]]] as const] : []
  return (
    <Checks
      label={label}
      groups={value === everyCode ? allGroup : [...allGroup, ...choices]}
      chosen={chosen}
      error={error && (value === '' ? faults.chooseOne : error)}
      onChoose={(codes) => onType(codes.includes(everyCode) ? everyCode : codes.join(' '))}
    />
  )
}
