import { useState } from 'preact/hooks'
import { isReduced, type SeenMember } from '#client/index.ts'
import { findMembers, maxSearchLength, seesOnlyNames } from '#console/app/api/members.ts'
import { memberKind } from '#console/app/members/kind.ts'
import { nameOf } from '#console/app/members/name.ts'
import { signOut } from '#console/app/sign-in/password.ts'
import { useLoad } from '#console/app/state/load.ts'
import { locale, theme, themes } from '#console/app/state/preferences.ts'
import { go } from '#console/app/state/route.ts'
import { session } from '#console/app/state/session.ts'
import { useStore } from '#console/app/state/store.ts'
import { Dialog } from '#console/app/ui/dialog.tsx'
import { Failed } from '#console/app/ui/failed.tsx'
import { type Choice, Finder } from '#console/app/ui/finder.tsx'
import { focusAdd } from '#console/app/ui/focus.ts'
import { usePaused } from '#console/app/ui/search.tsx'
import { useWords, type Words } from '#console/app/words/index.ts'
import { foldForSearch } from '#core/fold.ts'
import { languages, themeIcons } from './choices.tsx'
import { usePages } from './pages.ts'

/** How many members are offered. */
const maxMembers = 6

/** Finds pages, actions and members by what is typed. */
export const Palette = ({ onClose }: { onClose: () => void }) => {
  const words = useWords()
  const [typed, setTyped] = useState('')
  const { members, failure } = useMembers(typed.trim())
  const sought = foldForSearch(typed.trim())
  const fitting = useChoices(words).filter(({ text }) => foldForSearch(text).includes(sought))
  /** Once the dialog has given the focus back. */
  const choices = [...fitting, ...members.map(choiceOf)].map((choice) => ({
    ...choice,
    choose() {
      onClose()
      setTimeout(choice.choose)
    },
  }))
  return (
    <Dialog title={words.keys.find} onClose={onClose}>
      <Finder
        label={words.keys.find}
        text={typed}
        longest={maxSearchLength}
        choices={choices}
        isOpen
        onType={setTyped}
      />
      {failure && <Failed failure={failure} />}
      <p role="status">{choices.length === 0 && words.keys.nothing}</p>
    </Dialog>
  )
}

const useMembers = (typed: string) => {
  const name = usePaused(typed)
  const query = { name, sort: 'lastName', page: 0, size: maxMembers }
  const { value, failure } = useLoad(name, async (options) =>
    name ? (await findMembers(query, options)).value.content : [],
  )
  return { members: (typed && value) || [], failure }
}

const choiceOf = (member: SeenMember): Choice => ({
  text: isReduced(member) ? nameOf(member) : `${nameOf(member)} · ${member.emailAddress}`,
  icon: 'members',
  choose: () => go(`members/${member.memberId}`),
})

const useChoices = (words: Words): readonly Choice[] => {
  const isAdministrator = !useStore(seesOnlyNames)
  const { name } = useStore(session)
  return [
    ...usePages().map(({ page, icon, label }): Choice => ({ text: label, icon, choose: () => go(page) })),
    { text: words.keys.newTodo, icon: 'plus', choose: addTodo },
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
