import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Attached {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

interface FieldParts {
  readonly label: string
  readonly note?: string
  readonly hint?: string
  /** Why the service refused the value. */
  readonly error: string | undefined
  /** Whether the error is announced by itself: after Enter in the field, the focus does not move. */
  readonly isSpoken?: boolean
  /** Renders the control with the attributes that tie it to its label, hint and error. */
  readonly children: (attached: Attached) => ComponentChildren
}

export const Field = ({ label, note, hint, error, isSpoken, children }: FieldParts) => {
  const id = useId()
  const describedBy = [note && `${id}-note`, hint && `${id}-hint`, error && `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div class="field">
      <div class="field-label">
        <label for={id}>{label}</label>
        {note && (
          <span class="field-note" id={`${id}-note`}>
            {note}
          </span>
        )}
      </div>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error !== undefined })}
      {hint && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`} role={isSpoken ? 'alert' : undefined}>
          {error}
        </p>
      )}
    </div>
  )
}
