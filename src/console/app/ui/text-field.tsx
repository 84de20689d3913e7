import { Field } from './field.tsx'

interface TextFieldParts {
  readonly label: string
  readonly value: string
  readonly onType: (text: string) => void
  /** `username`, `current-password` and the like, for those who keep passwords for people. */
  readonly autocomplete?: string
  readonly type?: 'text' | 'email' | 'tel' | 'date' | 'password'
  readonly name?: string
  readonly note?: string
  readonly hint?: string
  /** Why the service did not take it. */
  readonly error?: string | undefined
  readonly isSpoken?: boolean
}

/** Stands for a date that is incomplete or does not exist: the browser shows it, but does not tell it. Nobody can type this. */
export const unreadable = '\0'

/** What may be in a script that runs from the right. */
const directed: readonly string[] = ['text', 'email']

/** One line of text, with its words around it. Nothing typed here is mended or judged by the browser. */
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
  } = parts
  const read = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const typed = currentTarget.validity.badInput ? unreadable : currentTarget.value
    if (typed !== value) onType(typed)
  }
  return (
    <Field label={label} {...(note && { note })} {...(hint && { hint })} error={error} isSpoken={isSpoken}>
      {(attached) => (
        <input
          {...attached}
          {...({ type } as { type: 'text' })}
          {...(name && { name })}
          class="input"
          dir={directed.includes(type) ? 'auto' : undefined}
          autocomplete={autocomplete}
          autocapitalize={autocomplete === 'username' ? 'none' : undefined}
          spellcheck={false}
          value={value === unreadable ? undefined : value}
          onInput={read}
          // Half a date is no input yet.
          onKeyUp={type === 'date' ? read : undefined}
        />
      )}
    </Field>
  )
}
