import { type Locale, locales, lookupLocale } from '#core/locale.ts'
import { readStored, writeStored } from './browser-storage.ts'
import { type Store, store } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** A choice that this browser remembers. */
const choicePreference = <T extends string>(name: string, choices: readonly T[], fallback: T): Store<T> =>
  storedPreference(name, fallback, (text) => choices.find((choice) => choice === text))

/** Any text that this browser remembers. */
export const textPreference = (name: string, fallback: string): Store<string> =>
  storedPreference(name, fallback, (text) => text ?? undefined)

const storedPreference = <T extends string>(
  name: string,
  fallback: T,
  read: (text: string | null) => T | undefined,
): Store<T> => {
  const key = `rollcall.${name}`
  const choice = store(read(readStored('localStorage', key)) ?? fallback)
  choice.watch(() => writeStored('localStorage', key, choice.get()))
  // Another tab has chosen.
  addEventListener('storage', (event) => {
    const chosen = event.key === key ? read(event.newValue) : undefined
    if (chosen !== undefined) choice.set(chosen)
  })
  return choice
}

export const locale = choicePreference<Locale>(
  'language',
  locales,
  lookupLocale(navigator.languages.join(','), 'en'),
)

export const theme = choicePreference<Theme>('theme', themes, 'system')

/** How many rows a page of a list has. */
export const rowCount = choicePreference<'20' | '50' | '100'>('rows', ['20', '50', '100'], '20')

export const density = choicePreference<'roomy' | 'dense'>('density', ['roomy', 'dense'], 'dense')

export const shortcuts = choicePreference<'on' | 'off'>('shortcuts', ['on', 'off'], 'on')

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
