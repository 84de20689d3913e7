import type { ComponentChildren } from 'preact'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

interface RevealableParts {
  /** Of the field, to tell several apart. */
  readonly label: string
  readonly isShown: boolean
  readonly onToggle: (isShown: boolean) => void
  /** The field. */
  readonly children: ComponentChildren
}

/** A password field with a button that shows what is typed. */
export const Revealable = ({ label, isShown, onToggle, children }: RevealableParts) => {
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
