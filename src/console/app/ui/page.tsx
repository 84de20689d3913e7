import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { focusBack } from '#console/app/state/focus-back.ts'
import { scrollBack } from '#console/app/state/scroll.ts'
import { useWords } from '#console/app/words/index.ts'
import { Icon } from './icon.tsx'

interface PageParts {
  /** Undefined while loading. */
  readonly title: string | undefined
  readonly subtitle?: ComponentChildren
  readonly actions?: ComponentChildren
  /** The parent page, if there is one. */
  readonly above?: { readonly title: string; readonly href: string }
  readonly isNarrow?: boolean
  readonly children: ComponentChildren
}

/**
 * A page moves the focus to its title when opened, so that keyboard and screen reader start there; when gone back to, to the link
 * by which it was left.
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
        <a class="way-back" href={above.href}>
          <Icon name="left" /> {above.title}
        </a>
      )}
      <header class="head">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto">
            {title ?? <Awaited text={loading} />}
          </h1>
          {subtitle && <p>{subtitle}</p>}
        </div>
        {actions && <div class="head-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Shown as a placeholder, and read out as loading. */
const Awaited = ({ text }: { text: string }) => (
  <>
    <span aria-hidden="true">…</span>
    <span class="unseen">{text}</span>
  </>
)

/** On the first page the focus stays where the browser put it. */
let isLaterPage = false
