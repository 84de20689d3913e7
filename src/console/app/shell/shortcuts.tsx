import { useEffect, useRef } from 'preact/hooks'
import { resourceAt } from '#console/app/api/declared.ts'
import { seesOnlyNames } from '#console/app/api/members.ts'
import { undoNewest } from '#console/app/state/notes.ts'
import { shortcuts } from '#console/app/state/preferences.ts'
import { go, route } from '#console/app/state/route.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button } from '#console/app/ui/button.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { focusAdd, focusSearch } from '#console/app/ui/focus.ts'
import { useLazy } from '#console/app/ui/lazy.tsx'
import { optionsOf, Segments } from '#console/app/ui/segments.tsx'
import { useWords, wordsNow } from '#console/app/words/index.ts'
import { pageAt, usePages } from './pages.ts'

/** The longest pause between `g` and the letter of a page, which together open the page. */
const chordMs = 1_200

/** Single-key shortcuts, and the dialog that lists them. */
export const Shortcuts = ({ isOpen, onToggle }: { isOpen: boolean; onToggle: (isOpen: boolean) => void }) => {
  const failureLabel = useWords().shortcuts.find
  const { Component: Palette, open, close } = useLazy('Palette', failureLabel)
  const prefixAtMs = useRef(Number.NEGATIVE_INFINITY)
  const pages = usePages()
  const latestPages = useRef(pages)
  latestPages.current = pages
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        void open()
      }
      if (event.key === 'Escape' && !event.isComposing) leaveField()
      if (shortcuts.get() === 'off' || isTyping(event)) return
      const isAfterPrefix = event.timeStamp - prefixAtMs.current < chordMs
      const page = isAfterPrefix && pageAt(event.key, latestPages.current)
      if (page) go(page.page)
      else if (event.key === '?') onToggle(true)
      else if (event.key === 'u') undoNewest(wordsNow().shortcuts.notUndone)
      else if (event.key === 'n' && focusAdd()) event.preventDefault()
      else if (event.key === 'n') openNew()
      else if (event.key === 'j' || event.key === 'k') moveFocus(event.key)
      else if (event.key === 'x' || event.key === 'e') pressShortcut(event)
      else if (event.key === '/' && focusSearch()) event.preventDefault()
      prefixAtMs.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    addEventListener('keydown', handle)
    return () => removeEventListener('keydown', handle)
  }, [onToggle])
  if (Palette) return <Palette onClose={close} />
  return isOpen ? <ShortcutList onClose={() => onToggle(false)} /> : null
}

const inputs = 'input:not([type=radio], [type=checkbox]), textarea, select'

const leaveField = () => {
  const viewMenu = document.querySelector<HTMLDetailsElement>('.view-menu[open]')
  if (viewMenu?.contains(document.activeElement)) viewMenu.querySelector('summary')?.focus()
  if (viewMenu) viewMenu.open = false
  const { activeElement } = document
  if (activeElement instanceof HTMLElement && activeElement.matches(inputs)) activeElement.blur()
}

/** Moves to the next or previous row of a list or, without a list, to the next or previous record. */
const moveFocus = (key: 'j' | 'k') => {
  const beside = document.activeElement?.closest('.panel-beside')
  if (beside) return pressIn(beside, key)
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const at = rows.findIndex((row) => row.closest('li, tr')?.contains(document.activeElement))
  if (rows.length === 0) pressIn(document, key)
  else rows[Math.max(0, at + (key === 'j' ? 1 : -1))]?.focus()
}

/** Presses the control with this key in the focused row, or on the page if there is no list. */
const pressShortcut = (event: KeyboardEvent) => {
  const row = document.activeElement?.closest('.panel-beside, main :is(li, tr)')
  if (row || !document.querySelector('main [data-row]')) pressIn(row ?? document, event.key)
  // Keeps the letter from being typed into the field that opens.
  event.preventDefault()
}

const pressIn = (place: ParentNode, key: string) =>
  place.querySelector<HTMLElement>(`[aria-keyshortcuts="${key}"]`)?.click()

/** Opens the form for a new record of the shown resource or, on other pages, for a new member. Users who see only names may not add members. */
const openNew = () => {
  const shown = resourceAt(route.get().path[0])
  if (shown) go(`${shown.plural}/new`)
  else if (!seesOnlyNames.get()) go('members/new')
}

const isTyping = ({ target, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent) =>
  ctrlKey || metaKey || altKey || isComposing || (target instanceof HTMLElement && target.closest(inputs))

const ShortcutList = ({ onClose }: { onClose: () => void }) => {
  const { shortcuts: words, close } = useWords()
  const pages = usePages()
  const mayAddMembers = !useStore(seesOnlyNames)
  const rows: readonly (readonly [readonly string[], string])[] = [
    ...pages
      .filter((link) => pageAt(link.page.charAt(0), pages) === link)
      .map(({ page, label }) => [['g', page.charAt(0)], `${words.go}: ${label}`] as const),
    [['j'], words.down],
    [['k'], words.up],
    [['x'], words.finish],
    [['e'], words.edit],
    [['Ctrl', 'S'], words.save],
    [['Ctrl', 'K'], words.find],
    [['/'], words.search],
    ...(mayAddMembers ? [[['n'], words.add] as const] : []),
    [['u'], words.undo],
    [['?'], words.help],
    [['Esc'], words.leave],
  ]
  return (
    <Dialog title={words.title} kind="dialog-wide" onClose={onClose}>
      <dl class="keys">
        {rows.map(([pressed, description]) => (
          <div key={description}>
            <dt class="faint">
              {pressed.map((key, index) => (
                <>
                  {index > 0 && (pressed[0] === 'Ctrl' ? '+' : words.next)}
                  <kbd>{key}</kbd>
                </>
              ))}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <div class="actions keys-switch">
        <span id="keys-switch">{words.switch}</span>
        <Segments
          label={words.switch}
          segments={optionsOf({ on: words.on, off: words.off })}
          value={useStore(shortcuts)}
          onChoose={(value) => shortcuts.set(value)}
        />
        <Button text={close} onClick={onClose} />
      </div>
    </Dialog>
  )
}
