import { seesOnlyNames } from '#console/app/api/members.ts'
import { useStore } from '#console/app/state/store.ts'
import type { IconName } from '#console/app/ui/icon.tsx'

/** The icon of each page. */
export const pages = {
  overview: 'home',
  todos: 'todos',
  members: 'members',
  import: 'import',
  activity: 'clock',
  keys: 'key',
  webhooks: 'send',
  service: 'chart',
} as const satisfies Readonly<Record<string, IconName>>

export type PageName = keyof typeof pages

/** On narrow screens, these are behind a button. */
export const ofAdministrators: readonly PageName[] = ['activity', 'keys', 'webhooks', 'service']

/** The pages for the user. */
export const usePages = () => {
  const isAdministrator = !useStore(seesOnlyNames)
  const all = Object.keys(pages) as PageName[]
  return all.filter((page) => isAdministrator || !ofAdministrators.includes(page))
}
