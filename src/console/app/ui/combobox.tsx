import { useId, useLayoutEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

export interface Choice {
  readonly text: string
  readonly icon?: IconName
  readonly choose: () => unknown
}

interface ComboboxProps {
  readonly label: string
  /** The attributes that connect the input with the label of a field. Without them, `label` names the input. */
  readonly inputAttributes?: object
  readonly text: string
  readonly maxLength: number
  readonly choices: readonly Choice[]
  readonly isOpen: boolean
  readonly isLocked?: boolean
  readonly onType: (text: string) => void
  /** Called on Escape, and when the input loses the focus. */
  readonly onClose?: () => void
}

/** A text field with a list of matches. The arrow keys move the highlight, and Enter chooses the highlighted match. */
export const Combobox = (props: ComboboxProps) => {
  const { label, inputAttributes, text, maxLength, choices, isOpen, isLocked, onType, onClose } = props
  const id = useId()
  const [at, setAt] = useState(0)
  useLayoutEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])
  const handleKey = (event: KeyboardEvent) => {
    if (!isOpen || event.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: choices.length - 1 }[event.key]
    if (event.key === 'Escape' && onClose) {
      event.stopPropagation()
      event.preventDefault()
      onClose()
    }
    if (!step && event.key !== 'Enter') return
    event.preventDefault()
    if (step) setAt((at + step) % (choices.length || 1))
    else choices[at]?.choose()
  }
  return (
    <>
      <input
        {...(inputAttributes ?? { 'aria-label': label })}
        class="input"
        role="combobox"
        dir="auto"
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && choices[at] ? `${id}-${at}` : undefined}
        autocomplete="off"
        maxLength={maxLength}
        readOnly={isLocked}
        value={text}
        onKeyDown={handleKey}
        onBlur={onClose}
        onInput={({ currentTarget }) => {
          onType(currentTarget.value)
          setAt(0)
        }}
      />
      {isOpen && (
        <div class="palette" role="listbox" id={id} aria-label={label}>
          {choices.map(({ icon, text, choose }, index) => (
            <button
              key={index}
              id={`${id}-${index}`}
              class="row"
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={choose}
            >
              {icon && <Icon name={icon} />} <span dir="auto">{text}</span>
            </button>
          ))}
        </div>
      )}
    </>
  )
}
