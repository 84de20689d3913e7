import type { ComponentChildren } from 'preact'
import { useWords } from '#console/app/words/index.ts'
import { Icon, type IconName } from './icon.tsx'

interface EmptyParts {
  readonly icon: IconName
  /** Omitted if the page already has this title. */
  readonly title?: string
  readonly text: string
  readonly children?: ComponentChildren
}

/** Shown for an empty list, with a way to begin. */
export const Empty = ({ icon, title, text, children }: EmptyParts) => (
  <div class="sheet empty">
    <Icon name={icon} />
    {title && <h2>{title}</h2>}
    <p>{text}</p>
    {children && <div class="actions">{children}</div>}
  </div>
)

/** Shown in place of a form that the service would refuse. */
export const NotAllowed = ({ text }: { text: string }) => {
  const words = useWords()
  return <Empty icon="key" title={text} text={words.notAllowed} />
}
