import { useEffect, useState } from 'preact/hooks'
import type { MemberView } from '#client/index.ts'
import { pathOf, type Task } from '#console/app/api/batch.ts'
import { type MemberQuery, walkMembers } from '#console/app/api/members.ts'
import { shortcuts } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import { Button, IconButton } from '#console/app/ui/button.tsx'
import { useQuestion } from '#console/app/ui/dialog.tsx'
import { download } from '#console/app/ui/download.tsx'
import { useFocusLeftToTitle } from '#console/app/ui/focus.ts'
import { removeMany, useAll } from '#console/app/ui/many.ts'
import { useWords } from '#console/app/words/index.ts'
import { quotedName } from './name.ts'

/** How many members can be selected at once. */
const maxPicked = 10_000

interface ManyParts {
  readonly query: MemberQuery
  /** How many members the list has. */
  readonly total: number
  readonly picked: Picked
}

/** What can be done with the selected members. */
export const Many = ({ query, total, picked }: ManyParts) => {
  const words = useWords()
  const { ask, question } = useQuestion()
  const part = useFocusLeftToTitle()
  const latest = new Map(picked.shown.map((member) => [member.memberId, member]))
  const members = [...picked.members].map(([id, member]) => latest.get(id) ?? member)
  const { length: count } = members
  const remove = () =>
    ask({
      title: words.many.ask(count),
      text: words.many.askText,
      yes: words.delete,
      onYes() {
        removeMany(members.map(taskOf))
        picked.clear()
      },
    })
  return (
    <div ref={part} class="many row">
      <p aria-live="polite">{words.many.picked(count)}</p>
      {count < total && total <= maxPicked && <PickAll query={query} total={total} picked={picked} />}
      <span class="actions">
        <Button
          icon="import"
          kind="small"
          text={words.many.save}
          onClick={() => download('members', () => once(members))}
        />
        <Button icon="bin" kind="small" text={words.delete} onClick={remove} />
        <IconButton icon="close" label={words.many.unpick} onClick={picked.clear} />
      </span>
      {question}
    </div>
  )
}

const PickAll = ({ query, total, picked }: ManyParts) => {
  const { many: words } = useWords()
  const all = useAll(
    (signal) => walkMembers(query, signal),
    (members) => picked.pick(members, true),
  )
  return <Button kind="quiet small" text={words.pickAll(total)} {...all} />
}

async function* once<Item>(items: readonly Item[]) {
  yield items
}

/** Whoever was changed after being shown is not deleted. */
const taskOf = (member: MemberView): Task => ({
  id: member.memberId,
  name: quotedName(member),
  operation: {
    method: 'DELETE',
    path: pathOf('members', member.memberId),
    ...(member.lastModifiedAt && {
      headers: { 'If-Unmodified-Since': new Date(member.lastModifiedAt).toUTCString() },
    }),
  },
})

/** The members that were selected, on whichever pages of one list. */
export interface Picked {
  readonly members: ReadonlyMap<string, MemberView>
  /** Those of the page, as they are now. */
  readonly shown: readonly MemberView[]
  readonly pick: (members: readonly MemberView[], isPicked: boolean) => void
  readonly clear: () => void
}

/** Another list has none selected. */
export const usePicked = (list: string, shown: readonly MemberView[] = []): Picked => {
  const [members, setMembers] = useState<ReadonlyMap<string, MemberView>>(new Map())
  const clear = () => setMembers(new Map())
  useEffect(clear, [list])
  const pick = (some: readonly MemberView[], isPicked: boolean) =>
    setMembers((now) => {
      const next = new Map(now)
      for (const member of some) {
        if (isPicked) next.set(member.memberId, member)
        else next.delete(member.memberId)
      }
      return next
    })
  return { members, shown, pick, clear }
}

interface PickParts {
  readonly picked: Picked
  readonly members: readonly MemberView[]
  readonly label: string
  readonly isRow?: boolean
}

/**
 * Selects these members, or none of them; with Shift, all rows from the last one selected. With single keys, `x` selects a
 * row that has the focus, and the row is one stop.
 */
export const Pick = ({ picked, members, label, isRow = false }: PickParts) => {
  const hasKeys = useStore(shortcuts) === 'on'
  const count = members.filter(({ memberId }) => picked.members.has(memberId)).length
  const isAll = count > 0 && count === members.length
  return (
    <td class="col-pick">
      <label title={label}>
        <input
          type="checkbox"
          aria-label={label}
          {...(isRow && { 'aria-keyshortcuts': 'x', tabIndex: hasKeys ? -1 : 0 })}
          checked={isAll}
          indeterminate={count > 0 && !isAll}
          onClick={({ shiftKey }) => picked.pick(shiftKey && isRow ? upTo(picked, members) : members, !isAll)}
        />
      </label>
    </td>
  )
}

/** The rows between the one selected last and this one, or this one alone if that is on another page. */
const upTo = (picked: Picked, members: readonly MemberView[]) => {
  const indexOf = (id: string | undefined) => picked.shown.findIndex(({ memberId }) => memberId === id)
  const ends = [indexOf([...picked.members.keys()].at(-1)), indexOf(members[0]?.memberId)]
  return ends.includes(-1) ? members : picked.shown.slice(Math.min(...ends), Math.max(...ends) + 1)
}
