import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { readDeclared } from '#console/app/api/declared.ts'
import { readRights, usePages } from '#console/app/shell/pages.ts'
import { signOut } from '#console/app/sign-in/password.ts'
import { connection } from '#console/app/state/connection.ts'
import { useLoad } from '#console/app/state/load.ts'
import { locale } from '#console/app/state/preferences.ts'
import { hrefTo, route } from '#console/app/state/route.ts'
import { runningImports } from '#console/app/state/running-imports.ts'
import { isSessionActive, promptSignIn, session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Icon, Seal } from '#console/app/ui/icon.tsx'
import { Lazy } from '#console/app/ui/lazy.tsx'
import { TrackId } from '#console/app/ui/message.tsx'
import { PauseNotice } from '#console/app/ui/pause-notice.tsx'
import { formatTime, useWords } from '#console/app/words/index.ts'
import { isolate } from '#console/app/words/visible.ts'
import { LanguageChoice, ThemeChoice } from './choices.tsx'
import { Notes } from './notes.tsx'
import { Shortcuts } from './shortcuts.tsx'

/** The frame around every page. */
export const Shell = ({ children }: { children: ComponentChildren }) => {
  const words = useWords()
  const { path } = useStore(route)
  // Reads the declared resources in the background. Then the navigation shows their pages.
  useLoad('resources', readDeclared)
  const { name } = useStore(session)
  // The name is undefined if nobody has signed in.
  useLoad(`rights of ${name}`, async (options) => name !== undefined && readRights(options))
  const current = path[0] ?? 'overview'
  return (
    <div class="shell">
      <button type="button" class="skip unseen" onClick={() => document.getElementById('main')?.focus()}>
        {words.skip}
      </button>
      <header class="side">
        <a class="brand" href={hrefTo('overview')}>
          <Seal /> Rollcall
        </a>
        <nav class="nav" aria-label={words.navigation}>
          {usePages().map(({ page, icon, label, isMinor }) => (
            <a
              key={page}
              class={isMinor ? 'wide-only' : undefined}
              href={hrefTo(page)}
              aria-current={page === current ? 'page' : undefined}
            >
              <Icon name={icon} />
              {label}
            </a>
          ))}
        </nav>
        <Tools />
      </header>
      <main class="main" id="main" tabIndex={-1}>
        <Banner />
        <SignInAgain />
        <PauseNotice />
        <ImportBanners />
        {children}
      </main>
      <Notes />
    </div>
  )
}

/** The progress of running imports. Shown on every page except the page of the import. */
const ImportBanners = () => {
  const { pages } = useWords()
  const ids = useStore(runningImports)
  const [page, shown] = useStore(route).path
  if (!isSessionActive(useStore(session))) return null
  return ids
    .filter((id) => !(page === 'import' && shown === id))
    .map((id) => <Lazy key={id} name="ImportProgress" props={{ id }} failureLabel={pages.import} />)
}

/** A warning on every page while the service cannot be reached or fails. */
const Banner = () => {
  const words = useWords()
  const { state, sinceMs, status = 0, track = '' } = useStore(connection)
  return (
    <div class={state === 'up' ? undefined : 'banner'}>
      {state !== 'up' && <Icon name="warning" />}
      <p class="banner-text" role="status">
        {state !== 'up' && (
          <>
            {state === 'unreachable' ? words.banner.unreachable : words.banner.failing(status)}{' '}
            {words.banner.since(formatTime(sinceMs))}
          </>
        )}
      </p>
      {state === 'failing' && <TrackId id={track} />}
    </div>
  )
}

/** Offers to sign in again after a background read was refused. Any action of the user would also ask for a sign-in. */
const SignInAgain = () => {
  const { signIn: words } = useWords()
  const { ended } = useStore(session)
  return (
    <div class={ended && 'banner'}>
      {ended && <Icon name="key" />}
      <p class="banner-text" role="status">
        {ended && words.ended}
      </p>
      {ended && <Button text={words.submit} kind="small" onClick={promptSignIn} />}
    </div>
  )
}

/** Language, appearance, keyboard shortcuts and the signed-in user. On narrow screens, most of them are behind a button. */
const Tools = () => {
  const words = useWords()
  const [open, setOpen] = useState<'keys' | 'more'>()
  const minorPages = usePages().filter(({ isMinor }) => isMinor)
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
            {minorPages.map(({ page, icon, label }) => (
              <a key={page} class="tools-row" href={hrefTo(page)} onClick={close}>
                <Icon name={icon} /> {label}
              </a>
            ))}
            <ToolItems onKeys={openKeys} onLeave={close} />
          </div>
          <div class="actions">
            <Button text={words.close} onClick={close} />
          </div>
        </Dialog>
      )}
      <Shortcuts isOpen={open === 'keys'} onToggle={(isOpen) => setOpen(isOpen ? 'keys' : undefined)} />
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
        <Icon name="keyboard" /> {words.shortcuts.open}
      </button>
      <ThemeChoice />
    </>
  )
}

const SignedIn = ({ onLeave }: { onLeave: () => void }) => {
  const words = useWords()
  const { name, isHost, memberId } = useStore(session)
  if (name === undefined) return null
  const text = isHost ? words.signedInAt(name) : words.signedInAs(isolate(name))
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
