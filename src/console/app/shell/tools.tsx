import { useState } from 'preact/hooks'
import { locale, type Theme, theme, themes } from '#console/app/state/preferences.ts'
import { session, signOut } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon, type IconName } from '#console/app/ui/icon.tsx'
import { Segments } from '#console/app/ui/segments.tsx'
import { useWords } from '#console/app/words/index.ts'
import { Keys } from './keys.tsx'

const themeIcons: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' }

const languages = [
  { value: 'en', label: 'English', short: 'EN' },
  { value: 'ja', label: '日本語' },
] as const

/** Language, appearance, keys, and who one is. */
export const Tools = () => {
  const words = useWords()
  return (
    <div class="tools">
      <SignedIn />
      <a class="tools-row wide-only" href="/docs">
        <Icon name="book" /> {words.documents}
      </a>
      <KeysButton />
      <Segments
        label={words.language}
        segments={languages}
        value={useStore(locale)}
        onChoose={(value) => locale.set(value)}
      />
      <Segments
        label={words.theme}
        segments={themes.map((value) => ({ value, label: words.themes[value], icon: themeIcons[value] }))}
        value={useStore(theme)}
        onChoose={(value) => theme.set(value)}
      />
    </div>
  )
}

const KeysButton = () => {
  const words = useWords()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="tools-row tools-button wide-only" onClick={() => setOpen(true)}>
        <Icon name="keyboard" /> {words.keys.open}
      </button>
      <Keys isOpen={isOpen} onToggle={setOpen} />
    </>
  )
}

const SignedIn = () => {
  const words = useWords()
  const { name } = useStore(session)
  if (name === undefined) return null
  return (
    <p class="signed-in">
      <span class="wide-only">{words.signedInAs(name)}</span>
      <button
        type="button"
        class="icon-button"
        aria-label={words.signOut}
        title={words.signOut}
        onClick={signOut}
      >
        <Icon name="out" />
      </button>
    </p>
  )
}
