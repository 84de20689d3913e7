import { useState } from 'preact/hooks'
import { allDeclared, keepsHistory, pluralOf } from '#console/app/api/declared.ts'
import { maxSearchLength, seesOnlyNames } from '#console/app/api/members.ts'
import { findOffered, type OfferedRecords } from '#console/app/declared/picker.tsx'
import { memberKind } from '#console/app/members/kind.ts'
import { signOut } from '#console/app/sign-in/password.ts'
import { useLoad } from '#console/app/state/load.ts'
import { locale, theme, themes } from '#console/app/state/preferences.ts'
import { go } from '#console/app/state/route.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { type Choice, Combobox } from '#console/app/ui/combobox.tsx'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { focusAdd } from '#console/app/ui/focus.ts'
import { Failed } from '#console/app/ui/message.tsx'
import { useDebounced } from '#console/app/ui/search.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { isText } from '#core/display.ts'
import { foldForSearch } from '#core/fold.ts'
import { languages, themeIcons } from './choices.tsx'
import { usePages } from './pages.ts'

/** Finds pages, actions and records by the typed text. */
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const words = useWords()
  const [typed, setTyped] = useState('')
  const { found, failure } = useFoundRecords(typed.trim())
  const folded = foldForSearch(typed.trim())
  const matching = useChoices(words).filter(({ text }) => foldForSearch(text).includes(folded))
  /** Each choice runs after the dialog has returned the focus. */
  const choices = [...matching, ...found].map((choice) => ({
    ...choice,
    choose() {
      onClose()
      setTimeout(choice.choose)
    },
  }))
  return (
    <Dialog title={words.shortcuts.find} onClose={onClose}>
      <Combobox
        label={words.shortcuts.find}
        text={typed}
        maxLength={maxSearchLength}
        choices={choices}
        isOpen
        onType={setTyped}
      />
      {failure && <Failed failure={failure} />}
      <p role="status">{choices.length === 0 && words.shortcuts.nothing}</p>
    </Dialog>
  )
}

/** Finds members, todos and records of declared resources. Kinds that the user may not read are left out. */
const useFoundRecords = (typed: string) => {
  const text = useDebounced(typed)
  const pages = usePages().map(({ page }) => page)
  const searchable = allDeclared().filter(
    ({ name, plural, fields }) => keepsHistory(name) && pages.includes(plural) && fields.some(isText),
  )
  const kinds = ['member', ...searchable.map(({ name }) => name)]
  const { value, failure } = useLoad(text, async (options) => {
    const found = await Promise.all(
      (text ? kinds : []).map(async (kind) =>
        (await findOffered(kind, text, options)).map((one) => choiceOf(kind, one)),
      ),
    )
    return found.flat()
  })
  return { found: (typed && value) || [], failure }
}

const choiceOf = (kind: string, { id, name, note }: OfferedRecords[number]): Choice => ({
  text: [name, note].filter(Boolean).join(' · '),
  icon: kind === 'member' ? 'members' : kind === 'todo' ? 'todos' : 'file',
  choose: () => (kind === 'todo' ? go('todos', { title: name }) : go(`${pluralOf(kind)}/${id}`)),
})

const useChoices = (words: Words): readonly Choice[] => {
  const isAdministrator = !useStore(seesOnlyNames)
  const { name } = useStore(session)
  return [
    ...usePages().map(({ page, icon, label }): Choice => ({ text: label, icon, choose: () => go(page) })),
    { text: words.shortcuts.newTodo, icon: 'plus', choose: addTodo },
    ...(isAdministrator
      ? [{ text: memberKind.words().add, icon: 'plus', choose: () => go('members/new') } satisfies Choice]
      : []),
    ...themes.map((one): Choice => {
      const text = `${words.theme}: ${words.themes[one]}`
      return { text, icon: themeIcons[one], choose: () => theme.set(one) }
    }),
    ...languages.map(({ value, label }): Choice => {
      return { text: `${words.language}: ${label}`, icon: 'book', choose: () => locale.set(value) }
    }),
    ...(name === undefined ? [] : [{ text: words.signOut, icon: 'out', choose: signOut } satisfies Choice]),
  ]
}

const addTodo = () => {
  if (location.hash.startsWith('#/todos') && focusAdd()) return
  addEventListener('hashchange', () => setTimeout(focusAdd), { once: true })
  go('todos')
}
