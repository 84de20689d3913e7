import { me, type ReadOptions, readSignedIn } from '#console/app/api/call.ts'
import { addedResources, labelsNow } from '#console/app/api/declared.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { store, useStore } from '#console/app/state/store.ts'
import type { IconName } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'

const pagesForEveryone = { overview: 'home', todos: 'todos', members: 'members' } as const

const pagesForAdministrators = { activity: 'clock', keys: 'key', webhooks: 'send', service: 'chart' } as const

interface PageLink {
  readonly page: string
  readonly icon: IconName
  readonly label: string
  /** On narrow screens, the link is behind a button. */
  readonly isMinor: boolean
}

/** The links to all pages that the user may open. */
export const usePages = (): readonly PageLink[] => {
  const { pages: labels } = useWords()
  const isAdministrator = !useStore(seesOnlyNames)
  const added = (useStore(addedResources) ?? []).filter(
    ({ access }) => isAdministrator || access.includes('read'),
  )
  const linksTo = <T extends keyof typeof labels>(icons: Readonly<Record<T, IconName>>, isMinor: boolean) =>
    (Object.keys(icons) as T[]).map((page) => ({ page, icon: icons[page], label: labels[page], isMinor }))
  return [
    ...linksTo(pagesForEveryone, false),
    ...(useStore(mayImport) ? linksTo({ import: 'down' }, false) : []),
    ...added.map(
      (one): PageLink => ({ page: one.plural, icon: 'file', label: labelsNow(one).many, isMinor: true }),
    ),
    ...(isAdministrator ? linksTo(pagesForAdministrators, true) : []),
  ]
}

/** The page that `g` and this letter open: the first page whose name begins with the letter. */
export const pageAt = (letter: string, pages: readonly PageLink[]) =>
  pages.find(({ page }) => page.charAt(0) === letter)

/** True if the user may import anything, and until the rights are read. */
const mayImport = store(true)

export const readRights = async (options: ReadOptions) => {
  const { may } = (await readSignedIn(me, options)).value
  mayImport.set(may.some((operation) => operation.endsWith(':import')))
}
