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
