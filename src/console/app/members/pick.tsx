import { useEffect, useState } from 'preact/hooks'
import type { MemberView } from '#client/index.ts'
import { shortcuts } from '#console/app/state/preferences.ts'
import { useStore } from '#console/app/state/store.ts'
import { useWords } from '#console/app/words/index.ts'
import { nameOf } from './name.ts'

/** The members that were selected, on whichever pages of one list. */
export interface Picked {
  readonly members: ReadonlyMap<string, MemberView>
  readonly pick: (members: readonly MemberView[], isPicked: boolean) => void
  readonly clear: () => void
}

/** Another list has none selected. */
export const usePicked = (list: string): Picked => {
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
  return { members, pick, clear }
}

/** With single keys, `x` selects a row that has the focus, and the row is one stop. */
export const Pick = ({ member, picked }: { member: MemberView; picked: Picked }) => {
  const { many: words } = useWords()
  const hasKeys = useStore(shortcuts) === 'on'
  return (
    <td class="col-pick">
      <label>
        <input
          type="checkbox"
          aria-label={words.pick(nameOf(member))}
          aria-keyshortcuts="x"
          tabIndex={hasKeys ? -1 : 0}
          checked={picked.members.has(member.memberId)}
          onChange={({ currentTarget }) => picked.pick([member], currentTarget.checked)}
        />
      </label>
    </td>
  )
}

interface PickPageParts {
  readonly members: readonly MemberView[] | undefined
  readonly picked: Picked
}

export const PickPage = ({ members = [], picked }: PickPageParts) => {
  const { many: words } = useWords()
  const count = members.filter(({ memberId }) => picked.members.has(memberId)).length
  const isAll = count > 0 && count === members.length
  return (
    <td class="col-pick">
      <label title={words.pickPage}>
        <input
          type="checkbox"
          aria-label={words.pickPage}
          checked={isAll}
          indeterminate={count > 0 && !isAll}
          onChange={() => picked.pick(members, !isAll)}
        />
      </label>
    </td>
  )
}
