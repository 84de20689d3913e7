import type { ComponentChildren } from 'preact'
import { course } from '#console/app/import/course.ts'
import { connection } from '#console/app/state/connection.ts'
import { hrefTo, route } from '#console/app/state/route.ts'
import { promptSignIn, session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Track } from '#console/app/ui/failed.tsx'
import { Icon } from '#console/app/ui/icon.tsx'
import { Mark } from '#console/app/ui/mark.tsx'
import { Waiting } from '#console/app/ui/waiting.tsx'
import { formatTime } from '#console/app/words/format.ts'
import { useWords } from '#console/app/words/index.ts'
import { Notes } from './notes.tsx'
import { ofAdministrators, pages, usePages } from './pages.ts'
import { Tools } from './tools.tsx'

/** The frame around every page. */
export const Shell = ({ children }: { children: ComponentChildren }) => {
  const words = useWords()
  const { path } = useStore(route)
  const current = path[0] ?? 'overview'
  return (
    <div class="shell">
      <button type="button" class="skip unseen" onClick={() => document.getElementById('main')?.focus()}>
        {words.skip}
      </button>
      <header class="side">
        <a class="brand" href={hrefTo('overview')}>
          <Mark /> Rollcall
        </a>
        <nav class="nav" aria-label={words.navigation}>
          {usePages().map((page) => (
            <a
              key={page}
              class={ofAdministrators.includes(page) ? 'wide-only' : undefined}
              href={hrefTo(page)}
              aria-current={page === current ? 'page' : undefined}
            >
              <Icon name={pages[page]} />
              {words.pages[page]}
            </a>
          ))}
        </nav>
        <Tools />
      </header>
      <main class="main" id="main" tabIndex={-1}>
        <Banner />
        <Ended />
        <Waiting />
        <Underway />
        {children}
      </main>
      <Notes />
    </div>
  )
}

/** Shown on every page while the service is away or failing. */
const Banner = () => {
  const words = useWords()
  const { state, since, status = 0, track = '' } = useStore(connection)
  return (
    <div class={state === 'up' ? undefined : 'banner'}>
      {state !== 'up' && <Icon name="warning" />}
      <p class="banner-text" role="status">
        {state !== 'up' && (
          <>
            {state === 'unreachable' ? words.banner.unreachable : words.banner.failing(status)}{' '}
            {words.banner.since(formatTime(since))}
          </>
        )}
      </p>
      {state === 'failing' && <Track id={track} />}
    </div>
  )
}

/** Says that a new sign-in is needed, if a background read found that out. Any action of the user asks for it anyway. */
const Ended = () => {
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

/** Shows the progress of an import on every other page. */
const Underway = () => {
  const { import: words } = useWords()
  const { phase, loaded, done } = useStore(course)
  const { path } = useStore(route)
  if (phase !== 'running' || !loaded || path[0] === 'import') return null
  const total = loaded.batch.records.length
  return (
    <a class="underway" href={hrefTo('import')}>
      {words.running}: {words.progress(done, total)}
      <progress class="progress" value={done} max={total} aria-hidden="true" />
    </a>
  )
}
