import { hrefTo } from '#console/app/state/route.ts'
import { Icon, type IconName } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'

export const pages = ['overview', 'todos', 'members', 'import'] as const

/** On narrow screens, these are behind a button. */
export const pagesOfAdministrators = ['activity', 'keys'] as const

type PageName = (typeof pages)[number] | (typeof pagesOfAdministrators)[number]

const icons: Readonly<Record<PageName, IconName>> = {
  overview: 'overview',
  todos: 'todos',
  members: 'members',
  import: 'import',
  activity: 'clock',
  keys: 'key',
}

interface PageLinkParts {
  readonly page: PageName
  readonly kind?: 'wide-only' | 'tools-row'
  readonly isCurrent?: boolean
  readonly onClick?: () => void
}

export const PageLink = ({ page, kind, isCurrent, onClick }: PageLinkParts) => (
  <a class={kind} href={hrefTo(page)} aria-current={isCurrent ? 'page' : undefined} onClick={onClick}>
    <Icon name={icons[page]} />
    {useWords().pages[page]}
  </a>
)
