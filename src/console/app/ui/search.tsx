import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface SearchParts {
  readonly name: string
  readonly label: string
  readonly longest: number
  readonly onSearch: (name: string) => void
}

/** While the user keeps typing, not every letter starts a search. */
const pauseMs = 180

/** The typed text, after a pause in typing. */
export const usePaused = <T extends string | undefined>(typed: T): T => {
  const [paused, setPaused] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return paused
}

/** Searches while the user types, but waits for an IME to finish composing. Surplus blanks are not part of a name. */
export const Search = ({ name, label, longest, onSearch }: SearchParts) => {
  const [typed, setTyped] = useState(name)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(onSearch)
  latest.current = onSearch
  const searched = useRef(name)
  // The searched name may come back while more is being typed: only a different name replaces the text.
  useEffect(() => {
    if (name !== searched.current) setTyped(name)
    searched.current = name
  }, [name])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string, isComposing: boolean) => {
    setTyped(text)
    clearTimeout(timer.current)
    if (!isComposing) timer.current = setTimeout(() => search(text), pauseMs)
  }
  /** Escape clears text and search; in an empty field, it leaves the field, as in every other. */
  const clear = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing || typed === '') return
    event.preventDefault()
    event.stopPropagation()
    type('', false)
  }
  const search = (text: string) => {
    const wanted = text.trim().replace(/\s+/g, ' ')
    if (wanted === searched.current) return
    searched.current = wanted
    latest.current(wanted)
  }
  return (
    <search class="search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        data-search
        dir="auto"
        aria-label={label}
        placeholder={label}
        maxLength={longest}
        value={typed}
        onKeyDown={clear}
        onInput={(event) => type(event.currentTarget.value, event.isComposing)}
        onCompositionEnd={(event) => type(event.currentTarget.value, false)}
      />
      <span class="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </search>
  )
}
