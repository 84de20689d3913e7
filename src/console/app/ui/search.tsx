import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface SearchProps {
  readonly text: string
  readonly label: string
  readonly maxLength: number
  readonly onSearch: (text: string) => void
}

/** A search starts after a pause of this length, so that not every letter starts one. */
const debounceMs = 180

/** The typed text, after a pause in typing. */
export const useDebounced = <T extends string | undefined>(typed: T): T => {
  const [debounced, setDebounced] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(typed), debounceMs)
    return () => clearTimeout(timer)
  }, [typed])
  return debounced
}

/** A search field. It searches while the user types, but waits until an IME has finished composing. Drops surplus blanks. */
export const Search = ({ text, label, maxLength, onSearch }: SearchProps) => {
  const [typed, setTyped] = useState(text)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(onSearch)
  latest.current = onSearch
  const searched = useRef(text)
  // A text that was searched from here does not replace the typed text, because the user may have typed more since.
  useEffect(() => {
    if (text !== searched.current) setTyped(text)
    searched.current = text
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const handleInput = (text: string, isComposing: boolean) => {
    setTyped(text)
    clearTimeout(timer.current)
    if (!isComposing) timer.current = setTimeout(() => search(text), debounceMs)
  }
  /** Escape clears the text and the search. In an empty field, Escape leaves the field, as in every other field. */
  const clearOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing || typed === '') return
    event.preventDefault()
    event.stopPropagation()
    handleInput('', false)
  }
  const search = (text: string) => {
    const newText = text.trim().replace(/\s+/g, ' ')
    if (newText === searched.current) return
    searched.current = newText
    latest.current(newText)
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
        maxLength={maxLength}
        value={typed}
        onKeyDown={clearOnEscape}
        onInput={(event) => handleInput(event.currentTarget.value, event.isComposing)}
        onCompositionEnd={(event) => handleInput(event.currentTarget.value, false)}
      />
      <span class="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </search>
  )
}
