import { type Locale, locales, lookupLocale } from '#core/locale.ts'
import { readStored, writeStored } from './browser-storage.ts'
import { type Store, store } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** A preference that this browser remembers: one of the choices or, without choices, any text. */
export const preference = <T extends string>(name: string, fallback: T, choices?: readonly T[]): Store<T> => {
  const key = `rollcall.${name}`
  const read = (text: string | null) =>
    choices ? choices.find((choice) => choice === text) : ((text ?? undefined) as T | undefined)
  const choice = store(read(readStored('localStorage', key)) ?? fallback)
  choice.watch(() => writeStored('localStorage', key, choice.get()))
  // The user has changed the preference in another tab.
  addEventListener('storage', (event) => {
    const chosen = event.key === key ? read(event.newValue) : undefined
    if (chosen !== undefined) choice.set(chosen)
  })
  return choice
}

export const locale = preference<Locale>(
  'language',
  lookupLocale(navigator.languages.join(','), 'en'),
  locales,
)

export const theme = preference<Theme>('theme', 'system', themes)

export const rowsPerPage = preference<'20' | '50' | '100'>('rows', '20', ['20', '50', '100'])

export const density = preference<'roomy' | 'dense'>('density', 'dense', ['roomy', 'dense'])

export const shortcuts = preference<'on' | 'off'>('shortcuts', 'on', ['on', 'off'])

/** Applies the choices to the document. */
export const applyPreferences = () => {
  const apply = () => {
    document.documentElement.lang = locale.get()
    document.documentElement.dataset.theme = theme.get()
  }
  apply()
  locale.watch(apply)
  theme.watch(apply)
}
