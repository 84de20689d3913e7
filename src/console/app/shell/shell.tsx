import type { ComponentChildren } from 'preact'
import { Underway } from '#console/app/import/underway.tsx'
import { hrefTo, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Icon, type IconName } from '#console/app/ui/icon.tsx'
import { Mark } from '#console/app/ui/mark.tsx'
import { Waiting } from '#console/app/ui/waiting.tsx'
import { useWords } from '#console/app/words/index.ts'
import { Banner } from './banner.tsx'
import { Ended } from './ended.tsx'
import { Notes } from './notes.tsx'
import { Tools } from './tools.tsx'

const pages = ['overview', 'todos', 'members', 'import'] as const satisfies readonly IconName[]

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
          {pages.map((page) => (
            <a key={page} href={hrefTo(page)} aria-current={page === current ? 'page' : undefined}>
              <Icon name={page} />
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
