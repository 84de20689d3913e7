import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { savedLink, savedScroll } from '#console/app/state/history.ts'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

interface PageParts {
  readonly title: string | undefined
  readonly subtitle?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly above?: { readonly title: string; readonly href: string }
  readonly isNarrow?: boolean
  readonly children: ComponentChildren
}

/**
 * When a page opens, its title gets the focus, so that keyboard and screen reader start there. After Back, the link that led away
 * from the page gets the focus.
 */
export const Page = ({ title, subtitle, actions, above, isNarrow, children }: PageParts) => {
  const { loading } = useWords()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title ?? loading} · Rollcall`
  }, [title, loading])
  useLayoutEffect(() => {
    if (isLaterPage) heading.current?.focus({ preventScroll: true })
    isLaterPage = true
    const endings = [scrollBack(), focusBack()]
    return () => {
      for (const end of endings) end()
    }
  }, [])
  return (
    <div class={`page ${isNarrow ? 'page-narrow' : ''}`}>
      {above && (
        <a class="way-back soft" href={above.href}>
          <Icon name="left" /> {above.title}
        </a>
      )}
      <header class="head">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title ?? <LoadingTitle text={loading} />}
          </h1>
          {subtitle && <p>{subtitle}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** A placeholder, which screen readers announce as loading. */
const LoadingTitle = ({ text }: { text: string }) => (
  <>
    <span aria-hidden="true">…</span>
    <span class="unseen">{text}</span>
  </>
)

/** On the first page the focus stays where the browser put it. */
let isLaterPage = false

/** Scrolls to the top, or to the previous position once the page is long enough again. */
const scrollBack = (): (() => void) => {
  const wanted = savedScroll()
  const attempt = () => {
    scrollTo(0, wanted)
    return scrollY >= wanted - 1
  }
  attempt()
  return persist(attempt, (changed) => {
    const observer = new ResizeObserver(changed)
    observer.observe(document.body)
    return observer
  })
}

/** After Back, moves the focus to the link that was followed, once the page shows it again. */
const focusBack = (): (() => void) => {
  const wanted = savedLink()
  const attempt = () => {
    const links = document.querySelectorAll<HTMLElement>('main a[href]')
    const link = [...links].find((one) => one.getAttribute('href') === wanted)
    link?.focus({ preventScroll: true })
    return link !== undefined
  }
  if (wanted === undefined || attempt()) return () => {}
  return persist(attempt, (changed) => {
    const observer = new MutationObserver(changed)
    observer.observe(document.body, { childList: true, subtree: true })
    return observer
  })
}

/** How long a page may take to restore its former content after Back. */
const maxWaitMs = 10_000

const userEvents = ['wheel', 'pointerdown', 'keydown'] as const

/** Calls `act` whenever the user scrolls, clicks or types, until the returned function is called. */
export const whenUserActs = (act: () => void): (() => void) => {
  for (const event of userEvents) addEventListener(event, act)
  return () => {
    for (const event of userEvents) removeEventListener(event, act)
  }
}

interface Watcher {
  disconnect(): void
}

/** Tries again at each change that `watch` reports, until an attempt succeeds, the user scrolls, clicks or types, or time is up. */
const persist = (attempt: () => boolean, watch: (changed: () => void) => Watcher): (() => void) => {
  const watcher = watch(() => {
    if (attempt()) stop()
  })
  const stop = () => {
    watcher.disconnect()
    clearTimeout(timer)
    unhook()
  }
  const timer = setTimeout(stop, maxWaitMs)
  const unhook = whenUserActs(stop)
  return stop
}
