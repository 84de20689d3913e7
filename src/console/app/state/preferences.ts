import { type Locale, locales, lookupLocale } from '#core/locale.ts'
import { keep, readKept } from './browser-storage.ts'
import { type Store, store } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** A choice that this browser remembers. */
const remembered = <T extends string>(name: string, choices: readonly T[], fallback: T): Store<T> => {
  const key = `rollcall.${name}`
  const found = choices.find((choice) => choice === readKept('localStorage', key))
  const choice = store(found ?? fallback)
  choice.watch(() => keep('localStorage', key, choice.get()))
  // Another tab has chosen.
  addEventListener('storage', (event) => {
    const chosen = choices.find((one) => event.key === key && one === event.newValue)
    if (chosen !== undefined) choice.set(chosen)
  })
  return choice
}

export const locale = remembered<Locale>(
  'language',
  locales,
  lookupLocale(navigator.languages.join(','), 'en'),
)

export const theme = remembered<Theme>('theme', themes, 'system')

/** How many rows a page of a list has. */
export const rowCount = remembered<'20' | '50' | '100'>('rows', ['20', '50', '100'], '20')

/** The columns of the list of members that can be left out. */
export const columnNames = ['emailAddress', 'dateOfBirth', 'telephoneNumber', 'createdAt'] as const

const someColumns = Array.from({ length: 2 ** columnNames.length }, (_, bits) =>
  columnNames.filter((_, at) => bits & (1 << at)).join(' '),
)

/** Those that are left out, in their order. */
export const hiddenColumns = remembered('hidden-columns', someColumns, '')

export const density = remembered<'roomy' | 'dense'>('density', ['roomy', 'dense'], 'roomy')

export const shortcuts = remembered<'on' | 'off'>('shortcuts', ['on', 'off'], 'on')

/** Applies the choices to the document. */
export const followPreferences = () => {
  const follow = () => {
    document.documentElement.lang = locale.get()
    document.documentElement.dataset.theme = theme.get()
  }
  follow()
  locale.watch(follow)
  theme.watch(follow)
}
