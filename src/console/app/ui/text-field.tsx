import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useWords } from '#console/app/words/index.ts'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'

interface TextFieldParts {
  readonly label: string
  readonly value: string
  readonly onType: (text: string) => void
  /** `username`, `current-password` and the like, for password managers. */
  readonly autocomplete?: string
  readonly type?: 'text' | 'email' | 'tel' | 'date' | 'password'
  readonly name?: string
  readonly note?: string
  readonly hint?: string
  /** Why the service refused the value. */
  readonly error?: string | undefined
  readonly isSpoken?: boolean
  readonly isRequired?: boolean
  /** Whether it has the focus when its dialog opens, though it is not the first field. */
  readonly isFirst?: boolean
  /** Whether it is being sent: it keeps the focus, but takes no text. */
  readonly isLocked?: boolean
}

/** Stands for an incomplete or impossible date, which the browser shows but does not report. Nobody can type this value. */
export const unreadable = '\0'

/** Fields whose text may be in a right-to-left script. */
const directed: readonly string[] = ['text', 'email']

/** A single-line text field with its label, hint and error. The browser neither corrects nor validates what is typed. */
export const TextField = (parts: TextFieldParts) => {
  const {
    label,
    value,
    onType,
    autocomplete = 'off',
    type = 'text',
    name,
    note,
    hint,
    error,
    isSpoken = false,
    isRequired,
    isFirst,
    isLocked,
  } = parts
  const [isShown, setShown] = useState(false)
  const isPassword = type === 'password'
  const read = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const typed = currentTarget.validity.badInput ? unreadable : currentTarget.value
    if (typed !== value) onType(typed)
  }
  return (
    <Field label={label} {...(note && { note })} {...(hint && { hint })} error={error} isSpoken={isSpoken}>
      {(attached) => {
        const input = (
          <input
            {...attached}
            {...({ type: isShown ? 'text' : type } as { type: 'text' })}
            {...(name && { name })}
            class="input"
            dir={directed.includes(type) ? 'auto' : undefined}
            autocomplete={autocomplete}
            autocapitalize={isPassword || autocomplete === 'username' ? 'none' : undefined}
            spellcheck={false}
            aria-required={isRequired}
            readOnly={isLocked}
            autofocus={isFirst}
            value={value === unreadable ? undefined : value}
            onInput={read}
            // An incomplete date does not fire an input event.
            onKeyUp={type === 'date' ? read : undefined}
          />
        )
        if (!isPassword) return input
        return (
          <Revealable label={label} isShown={isShown} onToggle={setShown}>
            {input}
          </Revealable>
        )
      }}
    </Field>
  )
}

interface RevealableParts {
  /** Of the field, to tell several apart. */
  readonly label: string
  readonly isShown: boolean
  readonly onToggle: (isShown: boolean) => void
  /** The field. */
  readonly children: ComponentChildren
}

/** A password field with a button that shows what is typed. */
const Revealable = ({ label, isShown, onToggle, children }: RevealableParts) => {
  const { showPassword } = useWords()
  return (
    <div class="revealable">
      {children}
      <button
        type="button"
        class="icon-button"
        title={showPassword(label)}
        aria-pressed={isShown}
        onClick={() => onToggle(!isShown)}
      >
        <Icon name={isShown ? 'eye-closed' : 'eye'} />
        <span class="unseen">{showPassword(label)}</span>
      </button>
    </div>
  )
}
