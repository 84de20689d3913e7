import type { ComponentChildren, ComponentProps } from 'preact'
import { useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  readonly text: ComponentChildren
  readonly icon?: IconName
  /** `primary`, `danger`, `quiet` or `small`, or several of them. */
  readonly kind?: string
  /** The address, if the button is a link. */
  readonly href?: string
  readonly isSubmit?: boolean
  /** The key that presses the button. */
  readonly shortcut?: string
  /** A locked button can have the focus, but does nothing when it is pressed. */
  readonly isLocked?: boolean
  /** If it returns a promise, the button is locked until the promise is settled, so that a double click does nothing twice. */
  readonly onClick?: () => unknown
}

export const Button = (button: ButtonProps) => {
  const { text, icon, kind = '', href, isSubmit, shortcut, onClick } = button
  const [isRunning, setRunning] = useState(false)
  const isLocked = button.isLocked || isRunning
  const press = () => {
    const work = isLocked ? undefined : onClick?.()
    if (!(work instanceof Promise)) return
    setRunning(true)
    void work.finally(() => setRunning(false))
  }
  const props = {
    class: `button ${kind.replaceAll(/\w+/g, 'button-$&')}`,
    'aria-keyshortcuts': shortcut,
    onClick: press,
    children: [icon && <Icon key="icon" name={icon} />, ' ', text],
  }
  if (href !== undefined) return <a href={href} {...props} />
  return <button type={isSubmit ? 'submit' : 'button'} aria-disabled={isLocked} {...props} />
}

type IconButtonProps = ComponentProps<'button'> & {
  readonly icon: IconName
  readonly label: string
  readonly isLocked?: boolean
}

export const IconButton = ({ icon, label, isLocked, onClick, ...others }: IconButtonProps) => (
  <button
    type="button"
    class="icon-button"
    aria-label={label}
    title={label}
    aria-disabled={isLocked}
    onClick={isLocked ? undefined : onClick}
    {...others}
  >
    <Icon name={icon} />
  </button>
)
