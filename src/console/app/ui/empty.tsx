import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface EmptyParts {
  readonly icon: IconName
  /** Left out where the page is called so already. */
  readonly title?: string
  readonly text: string
  readonly children?: ComponentChildren
}

/** What stands where nothing is yet, and how to begin. */
export const Empty = ({ icon, title, text, children }: EmptyParts) => (
  <div class="empty">
    <Icon name={icon} />
    {title && <h2>{title}</h2>}
    <p>{text}</p>
    {children && <div class="empty-actions">{children}</div>}
  </div>
)
