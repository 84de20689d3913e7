import type { ComponentChildren, ComponentProps } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ButtonParts {
  readonly text: ComponentChildren
  readonly icon?: IconName
  /** `primary`, `danger`, `quiet` or `small`, or several of them. */
  readonly kind?: string
  /** The address, if the button is a link. */
  readonly href?: string
  readonly isSubmit?: boolean
  /** The key that presses the button. */
  readonly shortcut?: string
  /** A locked button keeps the focus and does nothing. */
  readonly isLocked?: boolean
  readonly onClick?: () => unknown
}

export const Button = (button: ButtonParts) => {
  const { text, icon, kind = '', href, isSubmit, shortcut, isLocked, onClick } = button
  const parts = {
    class: `button ${kind.replaceAll(/\w+/g, 'button-$&')}`,
    'aria-keyshortcuts': shortcut,
    onClick: () => isLocked || void onClick?.(),
    children: [icon && <Icon key="icon" name={icon} />, ' ', text],
  }
  if (href !== undefined) return <a href={href} {...parts} />
  return <button type={isSubmit ? 'submit' : 'button'} aria-disabled={isLocked} {...parts} />
}

type IconButtonParts = ComponentProps<'button'> & {
  readonly icon: IconName
  readonly label: string
  readonly isLocked?: boolean
}

export const IconButton = ({ icon, label, isLocked, onClick, ...others }: IconButtonParts) => (
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
