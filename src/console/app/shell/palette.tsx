import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks'
import { isReduced, type SeenMember } from '#client/index.ts'
import { findMembers, maxSearchLength, seesOnlyNames } from '#console/app/api/members.ts'
import { nameOf } from '#console/app/members/name.ts'
import { signOut } from '#console/app/sign-in/password.ts'
import { useLoad } from '#console/app/state/load.ts'
import { locale, theme, themes } from '#console/app/state/preferences.ts'
import { go } from '#console/app/state/route.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { focusAdd } from '#console/app/ui/focus.ts'
import { Icon, type IconName } from '#console/app/ui/icon.tsx'
import { pauseMs } from '#console/app/ui/search.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { foldForSearch } from '#core/fold.ts'
import { languages, themeIcons } from './choices.tsx'
import { pages, usePages } from './pages.ts'

type Choice = readonly [text: string, icon: IconName, choose: () => unknown]

/** How many members are offered. */
const maxMembers = 6

/** Finds pages, actions and members by what is typed. */
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const words = useWords()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const { members, failure } = useMembers(typed.trim())
  const sought = foldForSearch(typed.trim())
  const fitting = useChoices(words).filter(([text]) => foldForSearch(text).includes(sought))
  const choices = [...fitting, ...members.map(choiceOf)]
  useLayoutEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])
  /** Once the dialog has given the focus back. */
  const choose = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    setTimeout(choice[2])
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: choices.length - 1 }[event.key]
    if (event.isComposing || (!step && event.key !== 'Enter')) return
    event.preventDefault()
    if (step) setAt((at + step) % (choices.length || 1))
    else choose(choices[at])
  }
  return (
    <Dialog title={words.keys.find} onClose={onClose}>
      <input
        class="input"
        role="combobox"
        aria-label={words.keys.find}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={choices[at] && `${id}-${at}`}
        autocomplete="off"
        maxLength={maxSearchLength}
        value={typed}
        onKeyDown={press}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value)
          setAt(0)
        }}
      />
      {failure && <Failed failure={failure} />}
      <div class="palette" role="listbox" id={id} aria-label={words.keys.find}>
        {choices.map((choice, index) => (
          <button
            key={index}
            id={`${id}-${index}`}
            class="row"
            type="button"
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => choose(choice)}
          >
            <Icon name={choice[1]} /> <span dir="auto">{choice[0]}</span>
          </button>
        ))}
      </div>
      <p role="status">{choices.length === 0 && words.keys.nothing}</p>
    </Dialog>
  )
}

const useMembers = (typed: string) => {
  const [name, setName] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setName(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  const query = { name, sort: 'lastName', page: 0, size: maxMembers }
  const { value, failure } = useLoad(name, async (options) =>
    name ? (await findMembers(query, options)).value.content : [],
  )
  return { members: (typed && value) || [], failure }
}

const choiceOf = (member: SeenMember): Choice => [
  isReduced(member) ? nameOf(member) : `${nameOf(member)} · ${member.emailAddress}`,
  'members',
  () => go(`members/${member.memberId}`),
]

const useChoices = (words: Words): readonly Choice[] => {
  const isAdministrator = !useStore(seesOnlyNames)
  const { name } = useStore(session)
  return [
    ...usePages().map((page): Choice => [words.pages[page], pages[page], () => go(page)]),
    [words.keys.newTodo, 'plus', addTodo],
    ...(isAdministrator ? [[words.members.add, 'plus', () => go('members/new')] satisfies Choice] : []),
    ...themes.map((one): Choice => {
      return [`${words.theme}: ${words.themes[one]}`, themeIcons[one], () => theme.set(one)]
    }),
    ...languages.map(({ value, label }): Choice => {
      return [`${words.language}: ${label}`, 'book', () => locale.set(value)]
    }),
    ...(name === undefined ? [] : [[words.signOut, 'out', signOut] satisfies Choice]),
  ]
}

const addTodo = () => {
  if (location.hash.startsWith('#/todos') && focusAdd()) return
  addEventListener('hashchange', () => setTimeout(focusAdd), { once: true })
  go('todos')
}
