import { locale, type Theme, theme, themes } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import type { IconName } from '#console/app/ui/icon.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { type Locale, locales } from '#core/locale.ts'

const names: Readonly<Record<Locale, { readonly label: string; readonly short?: string }>> = {
  en: { label: 'English', short: 'EN' },
  ja: { label: '日本語' },
}

export const languages = locales.map((value) => ({ value, lang: value, ...names[value] }))

export const LanguageChoice = () => (
  <Segments
    label={useWords().language}
    segments={languages}
    value={useStore(locale)}
    onChoose={(value) => locale.set(value)}
  />
)

export const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' }

export const ThemeChoice = () => {
  const words = useWords()
  return (
    <Segments
      label={words.theme}
      segments={themes.map((value) => ({ value, label: words.themes[value], icon: themeIcons[value] }))}
      value={useStore(theme)}
      onChoose={(value) => theme.set(value)}
    />
  )
}
