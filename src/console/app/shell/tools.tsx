import { useState } from 'preact/hooks'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { signOut } from '#console/app/sign-in/password.ts'
import { locale } from '#console/app/state/preferences.ts'
import { hrefTo } from '#console/app/state/route.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { useWords } from '#console/app/words/index.ts'
import { isolated } from '#console/app/words/visible.ts'
import { LanguageChoice, ThemeChoice } from './choices.tsx'
import { Keys } from './keys.tsx'
import { ofAdministrators, pages } from './pages.ts'

/** Language, appearance, keyboard shortcuts and the signed-in user. On narrow screens, most of it is behind a button. */
export const Tools = () => {
  const words = useWords()
  const [open, setOpen] = useState<'keys' | 'more'>()
  const isAdministrator = !useStore(seesOnlyNames)
  const openKeys = () => setOpen('keys')
  const close = () => setOpen(undefined)
  return (
    <div class="tools">
      <div class="tools-most">
        <ToolItems onKeys={openKeys} onLeave={close} />
      </div>
      <LanguageChoice />
      <button
        type="button"
        class="icon-button narrow-only"
        aria-label={words.more}
        onClick={() => setOpen('more')}
      >
        <Icon name="menu" />
      </button>
      {open === 'more' && (
        <Dialog title={words.more} onClose={close}>
          <div class="more">
            {isAdministrator &&
              ofAdministrators.map((page) => (
                <a key={page} class="tools-row" href={hrefTo(page)} onClick={close}>
                  <Icon name={pages[page]} /> {words.pages[page]}
                </a>
              ))}
            <ToolItems onKeys={openKeys} onLeave={close} />
          </div>
          <div class="actions">
            <Button text={words.close} onClick={close} />
          </div>
        </Dialog>
      )}
      <Keys isOpen={open === 'keys'} onToggle={(isOpen) => setOpen(isOpen ? 'keys' : undefined)} />
    </div>
  )
}

const ToolItems = ({ onKeys, onLeave }: { onKeys: () => void; onLeave: () => void }) => {
  const words = useWords()
  return (
    <>
      <SignedIn onLeave={onLeave} />
      <a class="tools-row" href={`/docs?lang=${useStore(locale)}`} target="_blank" rel="noopener">
        <Icon name="book" /> {words.documents}
      </a>
      <button type="button" class="tools-row tools-button" onClick={onKeys}>
        <Icon name="keyboard" /> {words.keys.open}
      </button>
      <ThemeChoice />
    </>
  )
}

const SignedIn = ({ onLeave }: { onLeave: () => void }) => {
  const words = useWords()
  const { name, isProvider, memberId } = useStore(session)
  if (name === undefined) return null
  const text = isProvider ? words.signedInAt(name) : words.signedInAs(isolated(name))
  return (
    <p class="signed-in">
      <span dir="auto">
        {memberId === undefined ? (
          text
        ) : (
          <a href={hrefTo(`members/${memberId}`)} onClick={onLeave}>
            {text}
          </a>
        )}
      </span>
      <IconButton icon="out" label={words.signOut} onClick={signOut} />
    </p>
  )
}
