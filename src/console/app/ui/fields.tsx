import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

export interface FieldTexts {
  readonly label: string
  readonly note?: string | undefined
  readonly hint?: string | undefined
  /** Why the service refused the value. */
  readonly error?: string | undefined
  /** Screen readers announce the error at once. Needed where the focus stays in the field when the form is sent. */
  readonly isAnnounced?: boolean
}

interface TextFieldProps extends FieldTexts {
  readonly value: string
  readonly onType: (text: string) => void
  /** `username`, `current-password` and the like, for password managers. */
  readonly autocomplete?: string | undefined
  readonly type?: 'text' | 'email' | 'tel' | 'date' | 'datetime-local' | 'number' | 'password' | undefined
  readonly name?: string
  readonly isRequired?: boolean
  /** This field, not the first one, gets the focus when the dialog opens. */
  readonly hasInitialFocus?: boolean
  /** Set while the form is sent: the field keeps the focus, but takes no text. */
  readonly isLocked?: boolean
}

/** Stands for an incomplete or impossible date, which the browser shows but does not report. Nobody can type this text. */
export const unreadableDateMarker = '\0'

/** The types of fields whose text may be in a right-to-left script. */
const directionalTypes: readonly string[] = ['text', 'email']

/**
 * A single-line text field with its label, hint and error. The browser neither corrects nor validates what is typed. A password
 * has a button that shows it.
 */
export const TextField = (props: TextFieldProps) => {
  const { label, value, onType, autocomplete = 'off', type = 'text', name } = props
  const { showPassword } = useWords()
  const [isShown, setShown] = useState(false)
  const isPassword = type === 'password'
  const read = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const typed = currentTarget.validity.badInput ? unreadableDateMarker : currentTarget.value
    if (typed !== value) onType(typed)
  }
  return (
    <Field {...props}>
      {(attached) => (
        <div class={isPassword ? 'revealable' : undefined}>
          <input
            {...attached}
            {...({ type: isShown || type === 'email' ? 'text' : type } as { type: 'text' })}
            // An input of the type `email` would rewrite the domain of an international address.
            inputMode={type === 'email' ? type : undefined}
            {...(name && { name })}
            class="input"
            dir={directionalTypes.includes(type) ? 'auto' : undefined}
            autocomplete={autocomplete}
            autocapitalize={isPassword || autocomplete === 'username' ? 'none' : undefined}
            spellcheck={false}
            aria-required={props.isRequired}
            readOnly={props.isLocked}
            autofocus={props.hasInitialFocus}
            value={value === unreadableDateMarker ? undefined : value}
            onInput={read}
            // In a number with the focus, the wheel would change the value instead of scrolling the page.
            onWheel={({ currentTarget }) => type === 'number' && currentTarget.blur()}
            // An incomplete date does not fire an input event.
            onKeyUp={type.startsWith('date') ? read : undefined}
          />
          {isPassword && (
            <button
              type="button"
              class="icon-button"
              title={showPassword(label)}
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              <Icon name={isShown ? 'eye-closed' : 'eye'} />
              <span class="unseen">{showPassword(label)}</span>
            </button>
          )}
        </div>
      )}
    </Field>
  )
}

type TextAreaProps = Pick<TextFieldProps, 'value' | 'onType' | 'name' | 'isRequired' | 'isLocked'> &
  FieldTexts

/** A field for texts with several lines, which a single-line field would join. */
export const TextArea = (props: TextAreaProps) => (
  <Field {...props}>
    {(attached) => (
      <textarea
        {...attached}
        name={props.name}
        class="input"
        rows={4}
        dir="auto"
        spellcheck={false}
        aria-required={props.isRequired}
        readOnly={props.isLocked}
        value={props.value}
        onInput={({ currentTarget }) => props.onType(currentTarget.value)}
      />
    )}
  </Field>
)

interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

interface FieldProps extends FieldTexts {
  /** Renders the control with the attributes that connect it with its label, hint and error. */
  readonly children: (attached: ControlAttributes) => ComponentChildren
}

export const Field = ({ label, note, hint, error, isAnnounced, children }: FieldProps) => {
  const id = useId()
  const describedBy = [note && `${id}-note`, hint && `${id}-hint`, error && `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div class="field">
      <div class="field-label">
        <label for={id}>{label}</label>
        {note && (
          <span class="field-note faint" id={`${id}-note`}>
            {note}
          </span>
        )}
      </div>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error !== undefined })}
      {hint && (
        <p class="faint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`} role={isAnnounced ? 'alert' : undefined}>
          {error}
        </p>
      )}
    </div>
  )
}

interface ChecksProps<T extends string> {
  readonly label: string
  /** The choices with their texts, grouped by subject. */
  readonly groups: readonly (readonly [
    heading: string,
    choices: readonly (readonly [value: T, text: string])[],
  ])[]
  readonly chosen: readonly T[]
  readonly error?: string | undefined
  readonly onChoose: (chosen: readonly T[]) => void
}

export const Checks = <T extends string>({ label, groups, chosen, error, onChoose }: ChecksProps<T>) => {
  const toggle = (value: T) =>
    onChoose(chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value])
  return (
    <fieldset class="scopes">
      <legend class="field-label">{label}</legend>
      {groups.map(([heading, choices], index) => (
        <p key={index} class={heading === '' ? 'scopes-all' : undefined}>
          {heading !== '' && <span>{heading}</span>}
          {choices.map(([value, text]) => (
            <label key={value}>
              <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
              <span class="unseen">{heading}</span> {text}
            </label>
          ))}
        </p>
      ))}
      <p class="field-error form-check">{error}</p>
    </fieldset>
  )
}

interface ChoicesProps {
  readonly value: string
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly isRequired?: boolean
  readonly isLocked?: boolean
  readonly onChoose: (value: string) => void
}

export const Select = (props: FieldTexts & ChoicesProps) => (
  <Field {...props}>{(attached) => <Choices {...props} attached={attached} />}</Field>
)

/** A select without a label, for use where a label is shown already. `attached` are further attributes. */
export const Choices = (props: ChoicesProps & { readonly attached?: object }) => (
  <select
    {...props.attached}
    class="input"
    aria-required={props.isRequired}
    value={props.value}
    disabled={props.isLocked}
    onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}
  >
    {props.choices.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
)
