import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { savedLink, savedScroll } from '#console/app/state/history.ts'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  readonly title: string | undefined
  readonly subtitle?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly parent?: { readonly title: string; readonly href: string }
  readonly isNarrow?: boolean
  readonly children: ComponentChildren
}

/**
 * A page. When it opens, its title gets the focus, so that keyboards and screen readers start there. After Back, the link by which
 * the user left the page gets the focus.
 */
export const Page = ({ title, subtitle, actions, parent, isNarrow, children }: PageProps) => {
  const { loading } = useWords()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title ?? loading} · Rollcall`
  }, [title, loading])
  useLayoutEffect(() => {
    if (isLaterPage) heading.current?.focus({ preventScroll: true })
    isLaterPage = true
    const stops = [restoreScroll(), restoreFocus()]
    return () => {
      for (const end of stops) end()
    }
  }, [])
  return (
    <div class={`page ${isNarrow ? 'page-narrow' : ''}`}>
      {parent && (
        <a class="way-back soft" href={parent.href}>
          <Icon name="left" /> {parent.title}
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

/** False while the first page is shown: it leaves the focus where the browser put it. */
let isLaterPage = false

/** Scrolls to the top, or, after Back, to the previous position once the page is long enough for it. */
const restoreScroll = (): (() => void) => {
  const position = savedScroll()
  const attempt = () => {
    scrollTo(0, position)
    return scrollY >= position - 1
  }
  attempt()
  return retryOnChange(attempt, (changed) => {
    const observer = new ResizeObserver(changed)
    observer.observe(document.body)
    return observer
  })
}

/** After Back, moves the focus to the link that was followed, once the page shows it again. */
const restoreFocus = (): (() => void) => {
  const address = savedLink()
  const attempt = () => {
    const links = document.querySelectorAll<HTMLElement>('main a[href]')
    const link = [...links].find((one) => one.getAttribute('href') === address)
    link?.focus({ preventScroll: true })
    return link !== undefined
  }
  if (address === undefined || attempt()) return () => {}
  return retryOnChange(attempt, (changed) => {
    const observer = new MutationObserver(changed)
    observer.observe(document.body, { childList: true, subtree: true })
    return observer
  })
}

/** The longest time that a page may take to restore its former content after Back. */
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

/** Repeats the attempt after each change that `watch` reports, until it succeeds, the user acts, or the time is up. */
const retryOnChange = (attempt: () => boolean, watch: (changed: () => void) => Watcher): (() => void) => {
  const watcher = watch(() => {
    if (attempt()) stop()
  })
  const stop = () => {
    watcher.disconnect()
    clearTimeout(timer)
    stopListening()
  }
  const timer = setTimeout(stop, maxWaitMs)
  const stopListening = whenUserActs(stop)
  return stop
}
