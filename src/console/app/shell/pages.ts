import { declared, labelsNow } from '#console/app/api/declared.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { useStore } from '#console/app/state/store.ts'
import type { IconName } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'

const everybodys = { overview: 'home', todos: 'todos', members: 'members', import: 'import' } as const

const ofAdministrators = { activity: 'clock', keys: 'key', webhooks: 'send', service: 'chart' } as const

interface PageLink {
  readonly page: string
  readonly icon: IconName
  readonly label: string
  /** On narrow screens, it is behind a button. */
  readonly isWide?: boolean
}

/** The pages for the user. */
export const usePages = (): readonly PageLink[] => {
  const { pages: labels } = useWords()
  const isAdministrator = !useStore(seesOnlyNames)
  const own = (useStore(declared) ?? []).filter(({ access }) => isAdministrator || access.includes('read'))
  const linksTo = <T extends keyof typeof labels>(icons: Readonly<Record<T, IconName>>, isWide: boolean) =>
    (Object.keys(icons) as T[]).map((page) => ({ page, icon: icons[page], label: labels[page], isWide }))
  return [
    ...linksTo(everybodys, false),
    ...own.map(
      (one): PageLink => ({ page: one.plural, icon: 'file', label: labelsNow(one).many, isWide: true }),
    ),
    ...(isAdministrator ? linksTo(ofAdministrators, true) : []),
  ]
}

/** The first letter of each page, which after `g` leads to it. A page has none if one before it begins with the same. */
export const letterOf = (page: string, pages: readonly PageLink[]) =>
  pages.find((one) => one.page.charAt(0) === page.charAt(0))?.page === page ? page.charAt(0) : undefined
